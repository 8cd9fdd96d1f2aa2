// SPDX-License-Identifier: BSD-3-Clause
// The permutation of the cases as release 8 keeps it. With unknown values weights are fractions
// and float32 sums depend on the order, so the same trees need the same swaps
// (reference/c45-release8.md, section 6). Pruning in that order.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/prune.h"

namespace colltree::c45 {

struct ItemOrder {
  std::vector<std::uint32_t> items;  // case numbers; a node owns a range of them
  std::vector<float> weight;         // by case

  explicit ItemOrder(std::size_t cases);
  void reset_weights();
  float sum(std::size_t first, std::size_t end) const;
  void scale(std::size_t first, std::size_t end, float factor);
  void unscale(std::size_t first, std::size_t end, float factor);
};

// Brings the items that satisfy `wanted` to the front, from left to right, each by one swap with
// the next free slot. Returns the end of the front.
template <typename Wanted>
std::size_t bring_forward(std::vector<std::uint32_t>& items, std::size_t first, std::size_t end,
                          Wanted wanted) {
  std::size_t free = first;
  for (std::size_t i = first; i < end; ++i) {
    if (wanted(items[i])) std::swap(items[i], items[free++]);
  }
  return free;
}

// Release 8's quicksort: last element as pivot, items equal to it gathered beside it. Not stable,
// and quadratic on sorted input.
void sort_as_release8(std::vector<std::uint32_t>& items, std::size_t first, std::size_t end,
                      const std::vector<float>& value);

// Walks one node's branches in order: the unknown cases stay in front, each branch's cases are
// swapped behind them, and the unknowns' weights are scaled by the branch's share meanwhile.
struct BranchWalk {
  std::size_t first = 0;  // unknowns are [first, known)
  std::size_t known = 0;  // branch v is [known, branch_end) while it is visited
  std::size_t end = 0;
  std::size_t branch_end = 0;
  std::uint32_t branch = 0;
  float known_weight = 0;
  float factor = 0;

  void begin(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases,
             std::size_t first_item, std::size_t end_item);
  // Gathers the cases of `branch`; false when there is none.
  bool enter(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases);
  void leave(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases);
};

// Pruning exactly as release 8 does it (reference/c45-release8.md, section 7).
// With its permutation, for unknown values and windowing. `order` holds all cases; weights
// are reset first.
PruneResult prune_ordered(const Tree& grown, const Schema& schema, const Cases& cases,
                          ItemOrder& order, float confidence);

}  // namespace colltree::c45
