// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations worth trying, for each TypeCase.
#pragma once

#include <mpi.h>

#include <atomic>
#include <string>
#include <vector>

#include "buffers.h"

namespace colltree::test {

struct OpCase {
  std::string name;
  MPI_Op op;
  bool user;
};

// Elements folded by user operations, and their calls, in this process so far (in the simulator: by
// all ranks).
inline std::atomic<long> folded_elements{0};
inline std::atomic<long> fold_calls{0};

class Operations {
 public:
  Operations();
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  // Those that make sense for elements of this type.
  std::vector<OpCase> of(const TypeCase& type) const;

 private:
  struct Row {
    const char* type;
    OpCase op;
  };
  void add(const char* type, const char* name, MPI_User_function* function, bool commutes);
  std::vector<Row> rows_;
};

}  // namespace colltree::test
