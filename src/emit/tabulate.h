// SPDX-License-Identifier: BSD-3-Clause
// Rule tree -> table: the tree's own thresholds cut each attribute into intervals, and every
// combination of intervals is a cell with one method.
#pragma once

#include <optional>

#include "model/quadtree/label_grid.h"
#include "model/rule_tree.h"

namespace colltree {

// Axes: the attributes that the collective's tests look at (at least communicator size and message
// size), message size last. An axis value is the largest integer of its interval. Nothing when the
// cells would be more than `most_cells`.
std::optional<LabelGrid> tabulate(const RuleTree& tree, const RuleTree::Root& root,
                                  std::size_t most_cells);

}  // namespace colltree
