// SPDX-License-Identifier: BSD-3-Clause
// What gather and scatter share: one block for each rank, all of them at the root.
#pragma once

#include <algorithm>

#include "algorithms/bine.h"
#include "algorithms/block_space.h"
#include "algorithms/transfer.h"
#include "algorithms/trees.h"

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

// A tree each of whose subtrees is an arc of positions.
struct BlockTree {
  TreeShape* shape;
  SubtreeShape* subtree;
  int radix;
};
inline BlockTree knomial_blocks(int radix) { return {knomial_tree, knomial_subtree, radix}; }
inline BlockTree bine_blocks() { return {bine_tree, bine_subtree, 2}; }

// Blocks along a tree that stands on the root: position 0 of (rank - root) mod size. At the root
// the blocks lie in rank order, elsewhere those of the rank's subtree in the order of its arc, so a
// message from or to the root that passes the last rank is cut there.
class SubtreeBlocks {
 public:
  SubtreeBlocks(int rank, int size, int root, const BlockTree& tree, std::size_t block)
      : size_(size),
        root_(root),
        tree_(tree),
        block_(block),
        position_((rank - root + size) % size),
        own_(below(position_)) {}

  int position() const { return position_; }
  Tree tree() const { return tree_.shape(size_, position_, tree_.radix); }
  // Of the subtree at `position`.
  std::size_t bytes(int position) const {
    return static_cast<std::size_t>(below(position).count) * block_;
  }
  // Where the rank's own block lies.
  std::size_t own() const { return offset(position_); }

  // The blocks of the subtree at `position`, from or to the rank at `peer_position`. `data`: all
  // blocks at the root, elsewhere those of this rank's subtree.

  int send(const std::byte* data, int position, int peer_position, const Context& context) const;
  int post_receive(std::byte* data, int position, int peer_position, Requests& requests,
                   const Context& context) const;

 private:
  Arc below(int position) const { return tree_.subtree(size_, position, tree_.radix); }
  std::size_t offset(int position) const;
  int rank_of(int position) const;
  // Calls visit(first position, positions) for each message of the subtree at `position`.
  template <typename Visit>
  int for_each_message(int position, int peer_position, Visit visit) const;

  int size_;
  int root_;
  BlockTree tree_;
  std::size_t block_;  // bytes
  int position_;
  Arc own_;
};

}  // namespace colltree
