// SPDX-License-Identifier: BSD-3-Clause
// Turns a rule tree into a smaller tree or into a table, which decides the same everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/quadtree/label_grid.h"
#include "model/rule_tree.h"

namespace colltree::emit {

// Drops tests that the tests above have already answered or that change nothing and nodes that no
// root reaches, and, if `merge`, merges neighbours of one method where the union of their regions
// is a region again. The result is a tree, roots in order.
model::RuleTree simplify(const model::RuleTree& tree, bool merge = true);

// Removes the methods that no leaf names, because a reader of the file would expect them to be
// chosen somewhere.
void drop_unused_methods(model::RuleTree& tree);

// The table: the tree's own thresholds cut each attribute into intervals, and every combination of
// intervals is a cell with one method. Axes: the attributes that the collective's tests ask (at
// least communicator size and message size), message size last. An axis value is the largest
// integer of its interval. Nothing when the cells would be more than `most_cells`.
std::optional<model::LabelGrid> tabulate(const model::RuleTree& tree,
                                         const model::RuleTree::Root& root, std::size_t most_cells);

// The way in which a value finds its interval on an axis of a table without a search: its bucket
// (power of two and next bits, decision/cdt_format.h) says where to start, and a few probes finish.
struct Buckets {
  std::uint32_t mantissa = 0;
  std::uint32_t probes = 0;
  std::vector<std::uint16_t> start;  // by bucket: how many thresholds lie below it
};

// The fewest probes with at most 160 buckets; among equals the fewest buckets. Buckets cost memory,
// a probe costs time. At most 2^15 thresholds.
Buckets best_buckets(const std::vector<std::uint64_t>& thresholds);

}  // namespace colltree::emit
