// SPDX-License-Identifier: BSD-3-Clause
// The blocks of all ranks as bytes, one after the other in rank order. Ranks may describe a block
// by different counts and types, so what is cut, joined and sent on are its packed bytes.
#pragma once

#include "algorithms/offsets.h"
#include "algorithms/types.h"

namespace colltree {

class BlockSpace {
 public:
  // Blocks of `count` elements each in `buffer`, or, when `counts` is not null, of counts[i]
  // elements at displacements[i]. The bytes are in the buffer itself where they lie there as they
  // are packed.
  int open(void* buffer, int count, const int* counts, const int* displacements, MPI_Datatype type,
           int size);

  // Bytes that lie in `data` one block after the other; std::size_t length_of(block).
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

// What this rank contributes to an allgather, allgatherv: into its block of `space`.
int contribute(const CollectiveCall& call, int rank, const BlockSpace& space,
               const Context& context);

}  // namespace colltree
