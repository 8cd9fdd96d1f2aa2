// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/offsets.h"

#include <mpi.h>

#include <algorithm>
#include <new>

#include "algorithms/types.h"

namespace colltree {

int Offsets::allocate(int blocks) {
  if (blocks > kFew) {
    many_.reset(new (std::nothrow) std::size_t[static_cast<std::size_t>(blocks) + 1]);
    if (many_ == nullptr) return MPI_ERR_NO_MEM;
    begin_ = many_.get();
  }
  begin_[0] = 0;
  blocks_ = blocks;
  return MPI_SUCCESS;
}

int Offsets::set_equal(int blocks, std::size_t each) {
  COLLTREE_TRY(allocate(blocks));
  for (int i = 0; i < blocks; ++i) begin_[i + 1] = begin_[i] + each;
  return MPI_SUCCESS;
}

int Offsets::set_parts(int blocks, std::size_t total) {
  COLLTREE_TRY(allocate(blocks));
  const auto parts = static_cast<std::size_t>(blocks);
  for (std::size_t i = 0; i < parts; ++i)
    begin_[i + 1] = begin_[i] + total / parts + (i < total % parts ? 1 : 0);
  return MPI_SUCCESS;
}

int Offsets::set_counts(int blocks, const int* counts, std::size_t unit) {
  COLLTREE_TRY(allocate(blocks));
  for (int i = 0; i < blocks; ++i)
    begin_[i + 1] = begin_[i] + static_cast<std::size_t>(counts[i]) * unit;
  return MPI_SUCCESS;
}

std::size_t Offsets::longest() const {
  std::size_t most = 0;
  for (int i = 0; i < blocks_; ++i) most = std::max(most, count(i));
  return most;
}

}  // namespace colltree
