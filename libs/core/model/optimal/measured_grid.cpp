// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/measured_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "model/rule_tree.h"

namespace colltree::optimal {

namespace {

using Many = std::span<const Timings>;

// The columns of the methods of one table; methods that the grid lacks are added.
std::vector<std::size_t> columns_of(MeasuredGrid& grid, const Timings& timings) {
  std::vector<std::size_t> columns;
  for (const Method& method : timings.methods)
    columns.push_back(model::index_of_method(grid.methods, method));
  return columns;
}

void fill_measured(MeasuredGrid& grid, const Timings& timings) {
  const std::vector<std::size_t> columns = columns_of(grid, timings);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::size_t cell = grid.cell_of(timings.instances[i]);
    grid.weight[cell] = 1;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      grid.time_us[grid.value_index(cell, columns[m])] =
          timings.time_of(i, timings.methods[m]).known_us();
    }
  }
}

void set(Instance& instance, Attribute attribute, std::uint64_t value) {
  if (attribute == Attribute::kCommunicatorSize) instance.communicator_size = value;
  if (attribute == Attribute::kMessageSize) instance.message_size = value;
  if (attribute == Attribute::kNodes) instance.nodes = value;
  if (attribute == Attribute::kRanksPerNode) instance.ranks_per_node = value;
}

// In holes, too, a collective can only be given its own methods.
void fill_existing(MeasuredGrid& grid, const Timings& timings) {
  const bool several = grid.axes.back().is_collective;
  const std::size_t stride = several ? grid.axes.back().size() : 1;
  const std::size_t first =
      several ? grid.axes.back().index({.collective = timings.collective}) : 0;
  for (const std::size_t column : columns_of(grid, timings)) {
    for (std::size_t cell = first; cell < grid.cells(); cell += stride) {
      grid.exists[grid.value_index(cell, column)] = true;
    }
  }
}

// The instance with every placement of the grid, because a mix of calls knows none.
std::vector<Instance> placed(const MeasuredGrid& grid, const Instance& instance) {
  std::vector<Instance> instances = {instance};
  for (const GridAxis& axis : grid.axes) {
    const bool nodes = axis.attribute == Attribute::kNodes;
    if (axis.is_collective || (!nodes && axis.attribute != Attribute::kRanksPerNode)) continue;
    std::vector<Instance> longer;
    for (Instance placed_instance : instances) {
      for (const std::uint64_t value : axis.values) {
        (nodes ? placed_instance.nodes : placed_instance.ranks_per_node) = value;
        longer.push_back(placed_instance);
      }
    }
    instances = std::move(longer);
  }
  return instances;
}

}  // namespace

std::size_t MeasuredGrid::measured_cells() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(instance, [](const auto& measured) { return measured.has_value(); }));
}

double MeasuredGrid::total_weight() const {
  return std::accumulate(weight.begin(), weight.end(), 0.0);
}

Instance sizes_at(const MeasuredGrid& grid, std::size_t cell) {
  Instance instance{.collective = grid.collectives.front()};
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const GridAxis& axis = grid.axes[a];
    const std::uint64_t value = axis.values[cell / grid.stride(a) % axis.size()];
    if (axis.is_collective) {
      instance.collective = static_cast<Collective>(value);
    } else {
      set(instance, axis.attribute, value);
    }
  }
  return instance;
}

MeasuredGrid make_measured_grid(Many timings) {
  MeasuredGrid grid{make_grid(timings)};
  for (const Timings& table : timings) {
    grid.collectives.push_back(table.collective);
    columns_of(grid, table);
  }
  std::ranges::sort(grid.collectives);
  grid.weight.resize(grid.cells());
  grid.time_us.assign(grid.cells() * grid.methods.size(), kNoTime);
  grid.exists.resize(grid.cells() * grid.methods.size());
  for (const Timings& table : timings) {
    fill_measured(grid, table);
    fill_existing(grid, table);
  }
  return grid;
}

void weigh(MeasuredGrid& grid, std::span<const CallCount> mix) {
  const std::vector<double> before =
      std::exchange(grid.weight, std::vector<double>(grid.cells(), 0.0));
  for (const CallCount& count : mix) {
    const bool known = std::ranges::count(grid.collectives, count.instance.collective) > 0;
    if (!known) continue;
    for (const Instance& instance : placed(grid, count.instance)) {
      const std::size_t cell = grid.cell_of(instance);
      if (before[cell] > 0) grid.weight[cell] += count.calls;
    }
  }
  if (grid.total_weight() <= 0) throw Error("no call of the mix falls on a measured point");
  if (!grid.share.empty()) grid.share = grid.weight;
}

BoxSpace box_space(const MeasuredGrid& grid, bool power_of_two) {
  std::vector<BoxAxis> axes;
  for (const GridAxis& axis : grid.axes) {
    if (axis.is_collective) {
      axes.push_back(subset_axis(axis.size()));
    } else if (power_of_two && axis.attribute == Attribute::kCommunicatorSize) {
      std::vector<bool> flags;
      for (const std::uint64_t value : axis.values) flags.push_back(std::has_single_bit(value));
      axes.push_back(interval_axis(flags));
    } else {
      axes.push_back(interval_axis(axis.size()));
    }
  }
  return BoxSpace(std::move(axes));
}

double box_count(std::span<const GridAxis> axes) {
  double boxes = 1;
  for (const GridAxis& axis : axes) {
    const auto size = static_cast<double>(axis.size());
    boxes *= axis.is_collective ? std::pow(2, size) - 1 : size * (size + 1) / 2;
  }
  return boxes;
}

}  // namespace colltree::optimal
