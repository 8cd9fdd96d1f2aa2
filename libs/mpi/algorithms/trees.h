// SPDX-License-Identifier: BSD-3-Clause
// The trees along which bcast goes down and reduce comes up: one rank's neighbours in them.
//
// A tree is built over positions 0 (its root) .. size-1 and every subtree holds consecutive
// positions, its own root first (preorder). With positions counted down from the highest rank each
// subtree is a range of ranks folded by its highest rank: what a non-commutative operation needs.
#pragma once

#include <array>

#include "algorithms/node_layout.h"

namespace colltree::algorithms {

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
TreeShape binary_tree;   // the rest halved, the adjacent half not the larger; least possible depth
TreeShape chain_tree;    // position + 1
TreeShape knomial_tree;  // position + j radix^k for j below radix and radix^k below the lowest
                         // nonzero digit of position; of radix 2 it is the binomial tree
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

// One rank's neighbours in two binary trees over the same ranks, no rank of which has children in
// both, so that what a rank sends in one while it receives in the other uses its link in both
// directions (Sanders, Speck, Traff, Two-tree algorithms for full bandwidth broadcast, reduction
// and scan, 2009, on the construction by mirroring and by shifting).
struct TwoTrees {
  Tree tree[2];
  int levels = 0;  // ranks on the longest way between a tree's root and a leaf

  // Over all ranks: each tree has a root of its own.
  static TwoTrees over_all(int size, int rank);
  // Over all ranks but `root`, which is the parent of both trees' roots; of three ranks or more.
  static TwoTrees below(int root, int size, int rank);

  // A tree in which the rank has children, if there is one.
  int inner() const { return tree[0].child_count > 0 ? 0 : 1; }
};

// A k-nomial tree over the nodes of a call with one inside each of them. As Placement::tree: in
// ranks, seen from `rank`. One rank of each node leads it, the root its own
// and elsewhere the lowest; leaders form a tree over the nodes, counted from the root's, and each
// is the root of a tree of its node. Between nodes there are as many edges as nodes but one. A
// leader's children on its own node come first: other nodes are served before them and folded after
// them.
Tree tree_over_nodes(const NodeLayout& nodes, int root, int rank, int radix);

}  // namespace colltree::algorithms
