// SPDX-License-Identifier: BSD-3-Clause
// The blocks of the ranks in a message: where they lie in sequence, and as the bytes that
// travel.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/types.h"
#include "base/not_copied.h"

namespace colltree::algorithms {

// Elements or bytes first .. first + count - 1 of a message.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Offsets : NotCopied {
 public:
  // Each returns an MPI error code: the table takes memory.
  int set_equal(int blocks, std::size_t each);
  int set_parts(int blocks, std::size_t total);                     // as equal as can be
  int set_counts(int blocks, const int* counts, std::size_t unit);  // counts times `unit`

  template <typename LengthOf>
  int set_lengths(int blocks, LengthOf length_of) {  // std::size_t length_of(block)
    if (const int error = allocate(blocks); error != 0) return error;
    for (int i = 0; i < blocks; ++i) begin_[i + 1] = begin_[i] + length_of(i);
    return 0;
  }

  int blocks() const { return blocks_; }
  std::size_t begin(int block) const { return begin_[block]; }
  std::size_t total() const { return begin_[blocks_]; }
  std::size_t count(int block) const { return begin_[block + 1] - begin_[block]; }
  std::size_t longest() const;
  Range range(int block) const { return {begin_[block], count(block)}; }
  Range range(int first, int end) const { return {begin_[first], begin_[end] - begin_[first]}; }

 private:
  static constexpr int kFew = 16;
  int allocate(int blocks);

  std::size_t few_[kFew + 1];  // of few ranks, whose messages take little longer than an allocation
  std::unique_ptr<std::size_t[]> many_;
  std::size_t* begin_ = few_;
  int blocks_ = 0;
};

// The blocks of all ranks as bytes, in rank order. Ranks may describe a block by different counts
// and types, so what is cut, joined and sent on are its packed bytes.
class BlockSpace {
 public:
  // Blocks of `count` elements each in `buffer`, or, when `counts` is not null, of counts[i]
  // elements at displacements[i]. The bytes are in the buffer itself where they lie there as they
  // are packed.
  int open(void* buffer, int count, const int* counts, const int* displacements, MPI_Datatype type,
           int size);

  // Bytes that lie in `data` block after block; std::size_t length_of(block).
  template <typename LengthOf>
  int open_bytes(std::byte* data, int size, LengthOf length_of) {
    COLLTREE_TRY(describe(MPI_BYTE, &layout_));
    data_ = data;
    return offsets_.set_lengths(size, length_of);
  }

  const Offsets& offsets() const { return offsets_; }
  std::byte* at(int block) const { return data_ + offsets_.begin(block); }
  std::size_t bytes(int block) const { return offsets_.count(block); }
  std::size_t bytes(int first, int end) const { return offsets_.range(first, end).count; }

  // Between the buffer and the bytes, for blocks first .. end - 1; nothing where they are the same.
  int load(int first, int end, const Context& context) const;
  int store(int first, int end, const Context& context) const;
  // Block `i` from bytes that lie elsewhere.
  int store_from(const std::byte* bytes, int block, const Context& context) const;

 private:
  void* in_buffer(int block) const;
  std::size_t elements(int first, int end) const;

  TypeLayout layout_;
  Offsets offsets_;
  Scratch packed_;
  void* buffer_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  const int* displacements_ = nullptr;
};

// Puts this rank's contribution to an allgather or allgatherv into its block of `space`.
int contribute(const CollectiveCall& call, int rank, const BlockSpace& space,
               const Context& context);

}  // namespace colltree::algorithms
