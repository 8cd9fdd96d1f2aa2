// SPDX-License-Identifier: BSD-3-Clause
// Box tree -> rule tree: sizes for indices, one root for each collective.
#pragma once

#include "model/optimal/cost_cube.h"
#include "model/optimal/measured_grid.h"
#include "model/rule_tree.h"

namespace colltree::optimal {

// Thresholds stand where the best methods of both sides cross. Tests on the collective are decided
// beforehand; the roots share the subtrees below that test no collective. At the points of the grid
// the rule tree decides as the box tree does.
model::RuleTree lower_box_tree(const BoxTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                               const std::vector<Collective>& collectives);

// Leaves, nodes and depths with the tests on the collective.
model::TreeShape shape(const BoxTree& tree);

}  // namespace colltree::optimal
