// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/block_space.h"

#include <algorithm>
#include <new>

namespace colltree::algorithms {

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

namespace {

// The blocks follow each other without gaps; where an empty one is said to begin does not matter.
bool is_dense(const int* counts, const int* displacements, int size) {
  bool any = false;
  std::ptrdiff_t next = 0;
  for (int i = 0; i < size; ++i) {
    if (counts[i] == 0) continue;
    if (any && displacements[i] != next) return false;
    any = true;
    next = std::ptrdiff_t{displacements[i]} + counts[i];
  }
  return true;
}

}  // namespace

int BlockSpace::open(void* buffer, int count, const int* counts, const int* displacements,
                     MPI_Datatype type, int size) {
  COLLTREE_TRY(describe(type, &layout_));
  buffer_ = buffer;
  count_ = static_cast<std::size_t>(count);
  displacements_ = counts == nullptr ? nullptr : displacements;
  COLLTREE_TRY(counts == nullptr ? offsets_.set_equal(size, count_ * layout_.size)
                                 : offsets_.set_counts(size, counts, layout_.size));
  if (layout_.plain && (counts == nullptr || is_dense(counts, displacements, size))) {
    int block = 0;  // the first that is not empty
    while (counts != nullptr && block < size && counts[block] == 0) ++block;
    const int first = counts == nullptr || block == size ? 0 : displacements[block];
    data_ = colltree::algorithms::at(buffer, first * layout_.extent);
    return MPI_SUCCESS;
  }
  COLLTREE_TRY(packed_.allocate(offsets_.total()));
  data_ = packed_.data();
  return MPI_SUCCESS;
}

void* BlockSpace::in_buffer(int block) const {
  if (packed_.data() == nullptr) return at(block);
  const MPI_Aint element = displacements_ == nullptr
                               ? static_cast<MPI_Aint>(block) * static_cast<MPI_Aint>(count_)
                               : displacements_[block];
  return colltree::algorithms::at(buffer_, element * layout_.extent);
}

std::size_t BlockSpace::elements(int first, int end) const {
  return layout_.size == 0 ? 0 : bytes(first, end) / layout_.size;
}

int BlockSpace::load(int first, int end, const Context& context) const {
  if (packed_.data() == nullptr) return MPI_SUCCESS;
  if (displacements_ == nullptr)
    return pack(in_buffer(first), elements(first, end), layout_, at(first), context);
  for (int i = first; i < end; ++i)
    COLLTREE_TRY(pack(in_buffer(i), elements(i, i + 1), layout_, at(i), context));
  return MPI_SUCCESS;
}

int BlockSpace::store(int first, int end, const Context& context) const {
  if (packed_.data() == nullptr) return MPI_SUCCESS;
  if (displacements_ == nullptr)
    return unpack(at(first), in_buffer(first), elements(first, end), layout_, context);
  for (int i = first; i < end; ++i)
    COLLTREE_TRY(unpack(at(i), in_buffer(i), elements(i, i + 1), layout_, context));
  return MPI_SUCCESS;
}

int BlockSpace::store_from(const std::byte* bytes, int block, const Context& context) const {
  return unpack(bytes, in_buffer(block), elements(block, block + 1), layout_, context);
}

int contribute(const CollectiveCall& call, int rank, const BlockSpace& space,
               const Context& context) {
  if (call.send == MPI_IN_PLACE) return space.load(rank, rank + 1, context);
  TypeLayout layout;
  COLLTREE_TRY(describe(call.send_type, &layout));
  return pack(call.send, static_cast<std::size_t>(call.send_count), layout, space.at(rank),
              context);
}

}  // namespace colltree::algorithms
