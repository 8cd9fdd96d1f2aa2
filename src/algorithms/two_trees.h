// SPDX-License-Identifier: BSD-3-Clause
// Two binary trees over the same ranks, no rank of which has children in both, so that what a rank
// sends in one while it receives in the other uses its link in both directions (Sanders, Speck,
// Traff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009, on the
// construction by mirroring and by shifting).
#pragma once

#include "algorithms/trees.h"

namespace colltree {

// One rank's neighbours in both.
struct TwoTrees {
  Tree tree[2];
  int levels = 0;  // ranks on the longest way between a tree's root and a leaf

  // Over all ranks: each tree has a root of its own.
  static TwoTrees over_all(int size, int rank);
  // Over all ranks but one, which is the parent of both trees' roots; of three ranks or more.
  static TwoTrees below(int root, int size, int rank);

  // A tree in which the rank has children, if there is one.
  int inner() const { return tree[0].child_count > 0 ? 0 : 1; }
};

}  // namespace colltree
