// SPDX-License-Identifier: BSD-3-Clause
// The best method at each point of a grid of two or three axes (communicator size, message size
// and, for an octree, collective or ranks per node): the map that the trees of this folder encode.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "timings/call_mix.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"
#include "timings/timings.h"

namespace colltree::model {

struct LabelGrid {
  std::vector<Method> methods;
  std::vector<Collective> collectives;
  std::vector<GridAxis> axes;         // the last one varies fastest
  std::vector<std::uint16_t> labels;  // by point: index into methods
  std::vector<double> weights;        // by point; empty: every point counts 1
  // With a collective axis: by its index, by method, whether the collective has that method. A tree
  // must not give a method of reduce to bcast.
  std::vector<std::vector<bool>> available;

  std::size_t points() const { return labels.size(); }
  double weight(std::size_t point) const { return weights.empty() ? 1.0 : weights[point]; }
};

// Axes: communicator size, message size.
LabelGrid make_label_grid(const DecisionMap& map);
// Third axis: the collectives of the maps. The grid holds the union of the maps' sizes; each map
// answers with the nearest of its own.
LabelGrid make_collective_grid(std::span<const DecisionMap> maps);
// Third axis: ranks per node; maps[i] was measured with ranks_per_node[i], all of one collective.
LabelGrid make_placement_grid(std::span<const DecisionMap> maps,
                              const std::vector<std::uint64_t>& ranks_per_node);

// Calls by grid point, each counted at the point that decides for it. Calls of collectives that the
// grid does not hold are left out. Throws Error when none is left.
std::vector<double> grid_weights(const LabelGrid& grid, std::span<const CallCount> mix);

// The grid that quadtrees encode. The timings of one collective give two axes; with several, the
// collective is the third axis. `third` = "ranks_per_node" makes that the third axis, for one
// collective. Throws UsageError or Error.
LabelGrid make_grid_of(const std::vector<Timings>& timings, std::string_view third);

}  // namespace colltree::model
