// SPDX-License-Identifier: BSD-3-Clause
// The common part of gather and scatter: a block for each rank, all of them at the root.
#pragma once

#include <algorithm>

#include "algorithms/block_space.h"
#include "algorithms/transfer.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

// How many bytes of a block go before the rest.
inline std::size_t first_bytes(std::size_t bytes, const Context& context) {
  return std::min<std::size_t>(bytes, context.segment_size);
}

// Blocks along a k-nomial tree that stands on the root: position 0 of (rank - root) mod size. At
// the root the blocks lie in rank order, elsewhere those of the rank's subtree in the order of
// positions, so a message from or to the root that passes the last rank is cut there.
class SubtreeBlocks {
 public:
  SubtreeBlocks(int rank, int size, int root, int radix, std::size_t block)
      : size_(size),
        root_(root),
        radix_(radix),
        block_(block),
        position_((rank - root + size) % size) {}

  int position() const { return position_; }
  Tree tree() const { return knomial_tree(size_, position_, radix_); }
  // The bytes of the subtree at `position`.
  std::size_t bytes(int position) const {
    return static_cast<std::size_t>(below(position)) * block_;
  }
  // The offset of the rank's own block.
  std::size_t own_offset() const { return offset(position_); }

  // The blocks of the subtree at `position`, from or to the rank at `peer_position`. `data`: all
  // blocks at the root, elsewhere those of this rank's subtree.
  int send(const std::byte* data, int position, int peer_position, const Context& context) const {
    return for_each_message(position, peer_position, [&](int first, int count) {
      return send_bytes(data + offset(first), static_cast<std::size_t>(count) * block_,
                        rank_of(peer_position), context);
    });
  }
  int post_receive(std::byte* data, int position, int peer_position, Requests& requests,
                   const Context& context) const {
    return for_each_message(position, peer_position, [&](int first, int count) {
      return requests.post_receive_bytes(data + offset(first),
                                         static_cast<std::size_t>(count) * block_,
                                         rank_of(peer_position), context);
    });
  }

 private:
  int below(int position) const { return knomial_subtree(size_, position, radix_); }
  std::size_t offset(int position) const {
    const int place = position_ == 0 ? rank_of(position) : position - position_;
    return static_cast<std::size_t>(place) * block_;
  }
  int rank_of(int position) const {
    return position < size_ - root_ ? position + root_ : position - (size_ - root_);
  }
  // Calls visit(first position, positions) for each message of the subtree at `position`.
  template <typename Visit>
  int for_each_message(int position, int peer_position, Visit visit) const {
    const int count = below(position);
    const int before_end = size_ - rank_of(position);
    const bool cut = (position_ == 0 || peer_position == 0) && before_end < count;
    if (!cut) return visit(position, count);
    COLLTREE_TRY(visit(position, before_end));
    return visit((size_ - root_) % size_, count - before_end);
  }

  int size_;
  int root_;
  int radix_;
  std::size_t block_;  // bytes
  int position_;
};

}  // namespace colltree::algorithms
