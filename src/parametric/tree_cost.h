// SPDX-License-Identifier: BSD-3-Clause
// The time of messages along the trees of src/algorithms/trees.h, up and down, on the longest path.
// Cost: O(log^2 ranks), a chain O(1).
#pragma once

#include <functional>
#include <vector>

#include "parametric/cost_call.h"

namespace colltree {

// The ranks in the subtree of each child of a tree's root, in the order of a broadcast: the
// farthest first. A subtree has the shape of a tree of its size.
using ChildSizes = std::vector<std::uint64_t>(std::uint64_t size, std::uint64_t radix);

struct CostTree {
  ChildSizes* children;
  std::uint64_t radix = 2;
  bool chain = false;  // one child each: no recursion
};

CostTree binomial_cost_tree();
CostTree binary_cost_tree();
CostTree chain_cost_tree();
CostTree knomial_cost_tree(std::uint64_t radix);

// The bytes of one message segment by segment.
struct Pieces {
  Pieces(double bytes, double segment_bytes);
  double count;   // whole number, at least 1
  double length;  // of all but the last
  double last;
};

// A message of these bytes from the root to all: a rank sends each segment to its children in turn
// while the next segment arrives.
double relay_us(const CostCall& call, const CostTree& tree, double bytes);
// The same up to the root, which folds what it receives.
double reduce_up_us(const CostCall& call, const CostTree& tree, double bytes);

// One message for each edge; how long it is depends on the ranks in the subtree below it.
using SubtreeBytes = std::function<double(std::uint64_t ranks_below)>;
// Down, one send after the other, the farthest child first.
double scatter_down_us(const CostCall& call, const CostTree& tree, const SubtreeBytes& bytes);
// Up: a rank receives from all its children at once, then sends.
double gather_up_us(const CostCall& call, const CostTree& tree, const SubtreeBytes& bytes);

}  // namespace colltree
