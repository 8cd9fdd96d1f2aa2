// SPDX-License-Identifier: BSD-3-Clause
// Operations of the library and of the program, and what they make of the ranks' elements.
#pragma once

#include "call.h"

namespace legal {

class Operation {
 public:
  // One that the call's features allow; the same on all ranks.
  explicit Operation(Call& call);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  const Type& type() const { return type_; }
  MPI_Op op() const { return op_; }

  // Elements first .. first + count - 1 of the ranks from .. from + ranks - 1, combined in rank
  // order.
  Bytes combined(std::uint64_t key, int from, int ranks, std::size_t first,
                 std::size_t count) const;

 private:
  enum class Kind { kSum, kXor, kAnd, kProduct, kAffine, kGappedAffine };
  static Kind pick_kind(Call& call);
  static Type type_of(Kind kind);

  Kind kind_;
  Type type_;
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace legal
