// SPDX-License-Identifier: BSD-3-Clause
// The trees along which bcast goes down and reduce comes up: one rank's neighbours in them.
//
// A tree is built over positions 0 (its root) .. size-1 and every subtree holds consecutive
// positions, its own root first (preorder). With positions counted down from the highest rank each
// subtree is a range of ranks folded by its highest one: what a non-commutative operation needs.
#pragma once

#include <array>

namespace colltree {

inline constexpr int kNoRank = -1;

struct Tree {
  int parent = kNoRank;
  // Adjacent child first, so subtrees do not shrink: bcast serves the children from the last to
  // the first (the longest way first), reduce folds them from the first to the last.
  std::array<int, 256> children;  // (radix - 1) times the number of digits
  int child_count = 0;

  void add_child(int child) { children[child_count++] = child; }
};

// The neighbours of `position`, as positions. Cost: O(log size); the chain O(1). Only the k-nomial
// tree looks at the radix, at least 2.
using TreeShape = Tree(int size, int position, int radix);
TreeShape binomial_tree;  // position + 2^k for every 2^k below the lowest set bit of position
TreeShape binary_tree;    // the rest halved, the adjacent half not the larger; least possible depth
TreeShape chain_tree;     // position + 1
TreeShape knomial_tree;   // position + j radix^k for j below radix and radix^k below the lowest
                          // nonzero digit of position

// How many positions the subtree at `position` of a k-nomial tree holds.
int knomial_subtree(int size, int position, int radix);

// Which rank stands at which position.
class Placement {
 public:
  static Placement from_root(int size, int root) { return {size, root, 1}; }
  static Placement downwards(int size) { return {size, size - 1, -1}; }

  int position(int rank) const { return wrap(direction_ * (rank - first_)); }
  int rank(int position) const { return wrap(first_ + direction_ * position); }
  // The tree seen from `rank`, in ranks.
  Tree tree(TreeShape* shape, int rank, int radix = 2) const;

 private:
  Placement(int size, int first, int direction)
      : size_(size), first_(first), direction_(direction) {}
  int wrap(int value) const {
    if (value < 0) return value + size_;
    return value >= size_ ? value - size_ : value;
  }

  int size_;
  int first_;
  int direction_;
};

}  // namespace colltree
