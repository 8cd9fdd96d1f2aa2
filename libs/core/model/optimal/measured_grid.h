// SPDX-License-Identifier: BSD-3-Clause
// The measured instances as the grid that optimal trees divide: its axes, and for each cell the
// instance, its weight and the time of each method. Unlike a decision map it invents nothing: a
// cell that was not measured is a hole, which costs nothing.
#pragma once

#include <span>
#include <vector>

#include "model/optimal/box_axis.h"
#include "timings/call_mix.h"
#include "timings/instance_grid.h"

namespace colltree::optimal {

struct MeasuredGrid : InstanceGrid {
  std::vector<Collective> collectives;  // ascending
  std::vector<Method> methods;          // of all collectives, each in tie order
  std::vector<double> weight;           // by cell; 0 in holes
  std::vector<double> time_us;          // cells x methods; kNoTime: cannot run, or hole
  std::vector<bool> exists;  // cells x methods: the cell's collective has the method at all
  // Expected costs, also at sizes that nobody measured (expected_grid.h), cells x methods; or
  // empty.
  std::vector<double> expected_cost;
  std::vector<double> deviation;  // of the logarithm of the time
  std::vector<double> share;      // by cell: how much of all sizes, or of a mix, it stands for

  std::size_t measured_cells() const;
  double total_weight() const;
  std::size_t value_index(std::size_t cell, std::size_t method) const {
    return cell * methods.size() + method;
  }
};

// The collective and the sizes of a cell, measured or not.
Instance sizes_at(const MeasuredGrid& grid, std::size_t cell);

// Throws Error: no instance, a placement that is known at some points only.
MeasuredGrid make_measured_grid(std::span<const Timings> timings);

// Sets the weights to the calls of an application, each counted at the point that decides for it; a
// call without a placement is spread over all. Throws Error when no call falls on a point of any
// weight.
void weigh(MeasuredGrid& grid, std::span<const CallCount> mix);

// The boxes for trees over the grid. With `power_of_two` a tree may test the communicator size for
// it.
BoxSpace box_space(const MeasuredGrid& grid, bool power_of_two);
// The rule tree of a tree over these boxes. Thresholds stand where the best methods of both sides
// cross.
model::RuleTree lower(const model::CellTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                      const std::vector<Collective>& collectives);
// The number of boxes without that test, from the axes alone.
double box_count(std::span<const GridAxis> axes);

}  // namespace colltree::optimal
