// SPDX-License-Identifier: BSD-3-Clause
// Counts, in memory that all ranks see, how often ranks have come to a point. One node only.
#pragma once

#include <mpi.h>

#include <atomic>

namespace colltree::test {

class Arrivals {
 public:
  explicit Arrivals(MPI_Comm comm);  // collective
  ~Arrivals();                       // collective
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  void come() { ++*count_; }
  int count() const { return *count_; }
  void dawdle() const;  // long enough for the others to pass what does not hold them

 private:
  std::atomic<int>* count_ = nullptr;
#ifndef COLLTREE_SMPI
  MPI_Win window_ = MPI_WIN_NULL;
#endif
};

}  // namespace colltree::test
