// SPDX-License-Identifier: BSD-3-Clause
// The tree that a search found, with sizes for indices.
#pragma once

#include "model/optimal/cost_cube.h"
#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

// Thresholds stand where the best methods of both sides cross.
model::RuleTree lower(const CellTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                      const std::vector<Collective>& collectives);

}  // namespace colltree::optimal
