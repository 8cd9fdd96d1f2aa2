// SPDX-License-Identifier: BSD-3-Clause
// Turns a rule tree into a smaller or faster tree or into a table, which decides the same
// everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/quadtree/label_grid.h"
#include "model/rule_tree.h"
#include "timings/call_mix.h"

namespace colltree::emit {

// Drops tests that the tests above have already answered, tests of which both sides are equal, and
// nodes that no root reaches. Keeps the order of tests. The result is a tree, roots in order.
model::RuleTree simplify(const model::RuleTree& tree);

// Removes the methods that no leaf names, because a reader of the file would expect them to be
// chosen somewhere.
void drop_unused_methods(model::RuleTree& tree);

// The regions of the tree, divided anew on its own thresholds so that regions of one method merge
// and, with a mix, frequent instances need few tests. Each collective keeps its old tests where the
// new ones would not be fewer (expected number with a mix, leaves without).
// Cost: cells x thresholds for each level, about a second for 2^14 cells; a collective with more,
// or with tests on more than three attributes, is only simplified.
model::RuleTree merge_regions(const model::RuleTree& tree, std::span<const CallCount> mix = {});

// Mean number of tests on the way to a leaf over the calls of one collective; 0 without calls.
double expected_tests(const model::RuleTree& tree, std::uint32_t root, Collective collective,
                      std::span<const CallCount> mix);

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
