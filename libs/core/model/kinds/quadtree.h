// SPDX-License-Identifier: BSD-3-Clause
// Quadtree, octree and kdtree of a decision map as a model (2007). In the rule tree quadrants are
// nested two-way tests, communicator size first; sides that hold only replicas disappear. The
// statistics count the tree as fitted.
#pragma once

#include <string_view>

#include "model/kind.h"
#include "model/quadtree/grid_tree.h"

namespace colltree::model {

// The kind is "kdtree" without reshaping and "octree" for a grid with a third axis. `origin` says
// where the grid comes from.
Model fit_quadtree(ModelOrigin origin, const LabelGrid& grid, const GridTreeOptions& options);

std::string_view name(Reshape reshape);

// The parameters must be those of the kind quadtree or kdtree.
GridTreeOptions grid_tree_options(const Parameters& parameters);

extern const Kind kQuadtreeKind;
extern const Kind kOctreeKind;  // read only: a quadtree over several collectives
extern const Kind kKdtreeKind;

}  // namespace colltree::model
