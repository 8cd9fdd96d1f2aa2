// SPDX-License-Identifier: BSD-3-Clause
// Grid tree -> rule tree.
#pragma once

#include "model/quadtree/grid_tree.h"

namespace colltree {

RuleTree lower_grid_tree(const GridTree& tree, const std::vector<GridAxis>& axes,
                         const std::vector<Method>& methods,
                         const std::vector<Collective>& collectives);

}  // namespace colltree
