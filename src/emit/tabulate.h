// SPDX-License-Identifier: BSD-3-Clause
// Rule tree -> table: the tree's own thresholds cut each attribute into intervals, and every
// combination of intervals is a cell with one method.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/quadtree/label_grid.h"
#include "model/rule_tree.h"

namespace colltree {

// Axes: the attributes that the collective's tests look at (at least communicator size and message
// size), message size last. An axis value is the largest integer of its interval. Nothing when the
// cells would be more than `most_cells`.
std::optional<LabelGrid> tabulate(const RuleTree& tree, const RuleTree::Root& root,
                                  std::size_t most_cells);

// How the values of one axis of a table find their interval without a search: a bucket (the value's
// power of two and next bits, runtime/cdt_format.h) says where to start, a few probes finish.
struct Buckets {
  std::uint32_t mantissa = 0;
  std::uint32_t probes = 0;
  std::vector<std::uint16_t> start;  // by bucket: how many thresholds lie below it
};

// The fewest probes with at most 160 buckets; among equals the fewest buckets. Buckets cost memory,
// a probe costs time. At most 2^15 thresholds.
Buckets best_buckets(const std::vector<std::uint64_t>& thresholds);

}  // namespace colltree
