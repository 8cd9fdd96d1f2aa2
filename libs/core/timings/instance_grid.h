// SPDX-License-Identifier: BSD-3-Clause
// The measured instances laid out on the full grid of their sizes: the instance in each cell, or a
// hole. Maps, trees on grids, interpolation and searches for neighbours all use this grid.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "coll/attribute.h"
#include "timings/timings.h"

namespace colltree {

// An axis with a rule that extends it to all integers: an instance takes the decision of the
// nearest grid value in log space, and beyond the ends that of the end (2007, 3.2).

// The largest integer that still belongs to the lower of two neighbours a < b: floor(sqrt(a * b)),
// exactly. The middle itself belongs to the lower neighbour, as every tie goes to the lower index;
// 0 has no logarithm and stands for itself alone.
std::uint64_t last_of_lower(std::uint64_t a, std::uint64_t b);

// The place of a size on a logarithmic axis, log2. An empty message lies one octave below one byte.
double octaves(std::uint64_t size);

struct GridAxis {
  // The collective is no attribute of a rule tree: a model over several has one root for each.
  bool is_collective = false;
  Attribute attribute = Attribute::kCommunicatorSize;
  std::vector<std::uint64_t> values;      // strictly ascending; collectives: their enumerators
  std::vector<std::uint64_t> thresholds;  // between neighbours; empty for collectives

  std::size_t size() const { return values.size(); }
  // Index of the grid value that decides for this instance. Throws Error for an unknown collective.
  std::size_t index(const Instance& instance) const;

  bool operator==(const GridAxis&) const = default;
};

// The point that decides for the instance in a grid of these axes; the last axis varies fastest.
std::size_t point_of(const std::vector<GridAxis>& axes, const Instance& instance);

// The values of the attribute at the instances of all tables, ascending.
std::vector<std::uint64_t> values_of(std::span<const Timings> timings, Attribute attribute);
GridAxis make_axis(Attribute attribute, std::vector<std::uint64_t> values);
GridAxis make_collective_axis(const std::vector<Collective>& collectives);
// Throws Error: an axis needs a value, and values strictly ascending.
void validate(const GridAxis& axis);

struct InstanceGrid {
  std::vector<GridAxis> axes;                        // the last one varies fastest
  std::vector<std::optional<std::size_t>> instance;  // by cell: index into the timings of the
                                                     // cell's collective; none: not measured

  std::size_t cells() const { return instance.size(); }
  const std::vector<std::uint64_t>& communicator_sizes() const { return axes[0].values; }
  const std::vector<std::uint64_t>& message_sizes() const { return axes[1].values; }
  std::size_t cell_of(const Instance& sizes) const { return point_of(axes, sizes); }
  // The number of cells from one value of the axis to the next.
  std::size_t stride(std::size_t axis) const;
};

struct GridNeighbour {
  std::size_t cell = 0;
  double octaves = 0;  // away
};
// The first known cell after `cell` along an axis of sizes, upwards or downwards.
std::optional<GridNeighbour> next_along(const InstanceGrid& grid, std::size_t cell,
                                        std::size_t axis, bool upwards,
                                        const std::function<bool(std::size_t)>& is_known);

// Axes: communicator size, message size.
// Throws Error when there is no instance or one point was measured with several placements.
InstanceGrid make_map_grid(const Timings& timings);
// The instance of a cell of such a grid, measured or not; the placement is unknown if it was not.
Instance instance_at(const InstanceGrid& map_grid, const Timings& timings, std::size_t cell);

// The axes are the communicator size and the message size; nodes and ranks per node if some point
// was measured with several of them (as few axes as tell all points apart); and the collective,
// last, if there are several. Throws Error: no instance, or a placement that is known at some
// points only.
InstanceGrid make_grid(std::span<const Timings> timings);

}  // namespace colltree
