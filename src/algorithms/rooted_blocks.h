// SPDX-License-Identifier: BSD-3-Clause
// What gather and scatter share: one block for each rank, all of them at the root.
#pragma once

#include <algorithm>

#include "algorithms/block_space.h"
#include "algorithms/transfer.h"

namespace colltree {

// The block of a rank that is not the root, as bytes.
class OwnBlock {
 public:
  // `filled`: it is sent, else received.
  int open(void* buffer, int count, MPI_Datatype type, bool filled, const Context& context);
  // After it was received.
  int close(const Context& context) const;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  TypeLayout layout_;
  Scratch packed_;
  void* buffer_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

// How many bytes of a block go before the rest.
inline std::size_t first_bytes(std::size_t bytes, const Context& context) {
  return std::min<std::size_t>(bytes, context.segment_size);
}

// Blocks along a binomial tree that stands on the root: a rank's subtree is a range of positions
// (rank - root) mod size. At the root the blocks lie in rank order, elsewhere in that of positions,
// so a message from or to the root that passes the last rank is cut there.
class BinomialBlocks {
 public:
  BinomialBlocks(int rank, int size, int root, std::size_t block)
      : size_(size), root_(root), block_(block), position_((rank - root + size) % size) {}

  int position() const { return position_; }
  int end(int position) const;  // of the positions of the subtree that begins there

  // The blocks of the subtree at `position`, from or to the rank at `peer_position`. `data`: all
  // blocks at the root, elsewhere those from position() on.

  int send(const std::byte* data, int position, int peer_position, const Context& context) const;
  int post_send(const std::byte* data, int position, int peer_position, Requests& requests,
                const Context& context) const;
  int post_receive(std::byte* data, int position, int peer_position, Requests& requests,
                   const Context& context) const;

 private:
  std::size_t offset(int position) const;
  int rank_of(int position) const;
  // Calls visit(first position, positions) for each message of the subtree at `position`.
  template <typename Visit>
  int for_each_message(int position, int peer_position, Visit visit) const;

  int size_;
  int root_;
  std::size_t block_;  // bytes
  int position_;
};

}  // namespace colltree
