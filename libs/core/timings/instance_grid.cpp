// SPDX-License-Identifier: BSD-3-Clause
#include "timings/instance_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

std::uint64_t last_of_lower(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  // The floating-point root is off by a few units at most near 2^64; the loops make it exact.
  const double guess = std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b));
  auto root =
      static_cast<std::uint64_t>(std::clamp(guess, static_cast<double>(a), 0x1.fffffffffffffp63));
  while (static_cast<Wide>(root) * root > product) --root;
  while (root < b && static_cast<Wide>(root + 1) * (root + 1) <= product) ++root;
  return root;
}

double octaves(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

std::size_t GridAxis::index(const Instance& instance) const {
  if (is_collective) {
    const auto found = std::ranges::find(values, static_cast<std::uint64_t>(instance.collective));
    if (found == values.end()) {
      throw Error(fmt::format("the model does not decide for {}", name(instance.collective)));
    }
    return static_cast<std::size_t>(found - values.begin());
  }
  const std::uint64_t value = attribute_value(attribute, instance);
  return static_cast<std::size_t>(std::ranges::lower_bound(thresholds, value) - thresholds.begin());
}

std::size_t point_of(const std::vector<GridAxis>& axes, const Instance& instance) {
  std::size_t point = 0;
  for (const GridAxis& axis : axes) point = point * axis.size() + axis.index(instance);
  return point;
}

GridAxis make_axis(Attribute attribute, std::vector<std::uint64_t> values) {
  GridAxis axis{.attribute = attribute, .values = std::move(values)};
  validate(axis);
  for (std::size_t i = 0; i + 1 < axis.size(); ++i) {
    axis.thresholds.push_back(last_of_lower(axis.values[i], axis.values[i + 1]));
  }
  return axis;
}

GridAxis make_collective_axis(const std::vector<Collective>& collectives) {
  GridAxis axis{.is_collective = true};
  for (const Collective collective : collectives) {
    axis.values.push_back(static_cast<std::uint64_t>(collective));
  }
  std::ranges::sort(axis.values);
  validate(axis);
  return axis;
}

void validate(const GridAxis& axis) {
  const std::string_view what = axis.is_collective ? "collective" : name(axis.attribute);
  if (axis.values.empty()) throw Error(fmt::format("the grid has no {}", what));
  if (std::ranges::adjacent_find(axis.values, std::greater_equal()) != axis.values.end()) {
    throw Error(fmt::format("the grid's {} must ascend, each value once", what));
  }
}

std::vector<std::uint64_t> values_of(std::span<const Timings> timings, Attribute attribute) {
  std::set<std::uint64_t> values;
  for (const Timings& table : timings) {
    for (const Instance& instance : table.instances) {
      values.insert(attribute_value(attribute, instance));
    }
  }
  return {values.begin(), values.end()};
}

namespace {

using Many = std::span<const Timings>;

// True if no two instances of a collective agree in all these attributes.
bool tell_apart(Many timings, const std::vector<Attribute>& attributes) {
  for (const Timings& table : timings) {
    std::set<std::vector<std::uint64_t>> points;
    for (const Instance& instance : table.instances) {
      const auto value = [&](Attribute attribute) { return attribute_value(attribute, instance); };
      if (!points.insert(mapped(attributes, value)).second) return false;
    }
  }
  return true;
}

// The fewest attributes that tell all instances apart.
std::vector<Attribute> attributes_of(Many timings) {
  constexpr auto kRanks = Attribute::kCommunicatorSize;
  constexpr auto kBytes = Attribute::kMessageSize;
  constexpr auto kNodes = Attribute::kNodes;
  constexpr auto kPerNode = Attribute::kRanksPerNode;
  for (const std::vector<Attribute>& attributes :
       {std::vector{kRanks, kBytes}, {kRanks, kBytes, kPerNode}, {kRanks, kBytes, kNodes}}) {
    if (tell_apart(timings, attributes)) return attributes;
  }
  return {kRanks, kBytes, kNodes, kPerNode};
}

GridAxis axis_of(Many timings, Attribute attribute) {
  GridAxis axis = make_axis(attribute, values_of(timings, attribute));
  const bool is_placement = attribute == Attribute::kNodes || attribute == Attribute::kRanksPerNode;
  if (is_placement && axis.values[0] == 0) {
    throw Error(fmt::format(
        "the points were measured with several placements, and at some of them the profile does "
        "not say '{}'; 'colltree import --split-placements' makes each placement a system",
        name(attribute)));
  }
  return axis;
}

std::vector<GridAxis> axes_of(Many timings) {
  std::vector<GridAxis> axes = mapped(
      attributes_of(timings), [&](Attribute attribute) { return axis_of(timings, attribute); });
  if (timings.size() > 1)
    axes.push_back(make_collective_axis(mapped(timings, &Timings::collective)));
  return axes;
}

void require_points(const Timings& timings) {
  if (!timings.instances.empty()) return;
  throw Error(fmt::format("{}: there are no measured points", name(timings.collective)));
}

std::size_t cells_of(const std::vector<GridAxis>& axes) {
  std::size_t cells = 1;
  for (const GridAxis& axis : axes) cells *= axis.size();
  return cells;
}

std::string placement(const Instance& instance) {
  return fmt::format("{}x{}", instance.nodes, instance.ranks_per_node);
}

[[noreturn]] void refuse_placements(const Instance& first, const Instance& second) {
  throw Error(fmt::format(
      "{} on {} ranks with {} B was measured with several placements (nodes x ranks per node {} "
      "and {}); a decision map needs one: --ranks-per-node chooses, 'colltree import "
      "--split-placements' makes each a system",
      name(first.collective), first.communicator_size, first.message_size, placement(first),
      placement(second)));
}

}  // namespace

std::size_t InstanceGrid::stride(std::size_t axis) const {
  std::size_t cells = 1;
  for (std::size_t behind = axis + 1; behind < axes.size(); ++behind) cells *= axes[behind].size();
  return cells;
}

std::optional<GridNeighbour> next_along(const InstanceGrid& grid, std::size_t cell,
                                        std::size_t axis, bool upwards,
                                        const std::function<bool(std::size_t)>& is_known) {
  const std::vector<std::uint64_t>& sizes = grid.axes[axis].values;
  const std::size_t stride = grid.stride(axis);
  const std::size_t start = cell / stride % sizes.size();
  for (std::size_t i = start; upwards ? i + 1 < sizes.size() : i > 0;) {
    i = upwards ? i + 1 : i - 1;
    cell = upwards ? cell + stride : cell - stride;
    if (is_known(cell)) {
      return GridNeighbour{cell, std::fabs(octaves(sizes[i]) - octaves(sizes[start]))};
    }
  }
  return std::nullopt;
}

InstanceGrid make_map_grid(const Timings& timings) {
  require_points(timings);
  InstanceGrid grid{{axis_of({&timings, 1}, Attribute::kCommunicatorSize),
                     axis_of({&timings, 1}, Attribute::kMessageSize)},
                    {}};
  grid.instance.resize(cells_of(grid.axes));
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    auto& cell = grid.instance[grid.cell_of(timings.instances[i])];
    if (cell) refuse_placements(timings.instances[*cell], timings.instances[i]);
    cell = i;
  }
  return grid;
}

Instance instance_at(const InstanceGrid& map_grid, const Timings& timings, std::size_t cell) {
  if (map_grid.instance[cell]) return timings.instances[*map_grid.instance[cell]];
  const std::size_t columns = map_grid.message_sizes().size();
  return {timings.collective, map_grid.communicator_sizes()[cell / columns],
          map_grid.message_sizes()[cell % columns]};
}

InstanceGrid make_grid(Many timings) {
  std::ranges::for_each(timings, require_points);
  InstanceGrid grid{axes_of(timings), {}};
  grid.instance.resize(cells_of(grid.axes));
  for (const Timings& table : timings) {
    for (std::size_t i = 0; i < table.instances.size(); ++i) {
      grid.instance[grid.cell_of(table.instances[i])] = i;
    }
  }
  return grid;
}

}  // namespace colltree
