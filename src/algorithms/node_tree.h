// SPDX-License-Identifier: BSD-3-Clause
// A k-nomial tree over the nodes of a call with one inside each of them.
#pragma once

#include "algorithms/node_layout.h"
#include "algorithms/trees.h"

namespace colltree {

// As Placement::tree: in ranks, seen from `rank`. One rank of each node leads it, the root its own
// and elsewhere the lowest; leaders form a tree over the nodes, counted from the root's, and each
// is the root of a tree of its node. Between nodes there are as many edges as nodes but one. A
// leader's children on its own node come first: other nodes are served before them and folded after
// them.
Tree tree_over_nodes(const NodeLayout& nodes, int root, int rank, int radix);

}  // namespace colltree
