// SPDX-License-Identifier: BSD-3-Clause
// What an MPI test job counts with. One object a rank (in the simulator the ranks are one process).
#pragma once

#include <mpi.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/test_sample.h"

namespace colltree::test {

class Checker {
 public:
  // Checks one in `stride` of each kind of check, and of these the share of base/test_sample.h,
  // which also says where it begins: the same on all ranks, and early, so that a kind that is
  // asked for few times is checked too.
  // `rows`: how the names of the algorithms that are checked begin.
  explicit Checker(int rank, unsigned long stride = 1, std::string rows = "")
      : rank_(rank),
        rows_(std::move(rows)),
        stride_(testing::prime_stride(stride)),
        begin_(testing::test_seed() % (stride / 2 + 1)) {}

  bool takes_all_rows() const { return rows_.empty(); }
  bool takes_row(std::string_view algorithm) const { return algorithm.starts_with(rows_); }
  // Whether the next one of this kind is among them: the same on all ranks that ask equally often.
  bool takes_next(const void* kind) { return asked_[kind]++ % stride_ == begin_; }

  // True when the check holds. `what` is asked for only when it does not.
  template <typename What>
  bool check(bool holds, const char* file, int line, What what) {
    ++checks_;
    if (holds) return true;
    if (++failures_ <= 5)
      std::fprintf(stderr, "FAILED %s:%d rank %d: %s\n", file, line, rank_, what().c_str());
    return false;
  }

  int rank() const { return rank_; }
  long checks() const { return checks_; }
  long failures() const { return failures_; }

 private:
  int rank_;
  std::string rows_;
  unsigned long stride_;
  unsigned long begin_;
  std::map<const void*, unsigned long> asked_;
  long checks_ = 0;
  long failures_ = 0;
};

// The tests of one program; both mains (job_main.cpp, simulated_main.cpp) call it on every rank
// between MPI_Init and MPI_Finalize.
void run_tests(Checker& checker);

}  // namespace colltree::test

// `what` is an expression of type std::string.
#define CHECK(checker, condition, what) \
  (checker).check((condition), __FILE__, __LINE__, [&]() -> std::string { return (what); })
#define CHECK_MPI(checker, call) CHECK(checker, (call) == MPI_SUCCESS, #call)
