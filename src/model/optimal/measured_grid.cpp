// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/measured_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace colltree::optimal {

namespace {

using Many = std::span<const Timings>;

std::vector<Method> united_methods(Many timings) {
  std::vector<Method> methods;
  for (const Timings& one : timings) {
    for (const Method& method : one.methods) {
      if (std::ranges::find(methods, method) == methods.end()) methods.push_back(method);
    }
  }
  return methods;
}

std::vector<std::size_t> columns_of(const MeasuredGrid& grid, const Timings& timings) {
  std::vector<std::size_t> columns;
  for (const Method& method : timings.methods) {
    columns.push_back(
        static_cast<std::size_t>(std::ranges::find(grid.methods, method) - grid.methods.begin()));
  }
  return columns;
}

void fill_measured(MeasuredGrid& grid, const Timings& timings) {
  const std::vector<std::size_t> columns = columns_of(grid, timings);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::size_t cell = grid.cell_of(timings.instances[i]);
    grid.weight[cell] = 1;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      grid.time_us[grid.at(cell, columns[m])] = timings.time_of(i, timings.methods[m]).known_us();
    }
  }
}

// The best method's interval reaches up to `high`: methods whose interval begins below it are ties.
// Where the times differ much they are the better guess all the same.
void fill_ties(MeasuredGrid& grid, const Timings& timings) {
  const std::vector<std::size_t> columns = columns_of(grid, timings);
  const std::size_t methods = timings.methods.size();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::size_t cell = grid.cell_of(timings.instances[i]);
    std::vector<std::optional<std::size_t>> read;
    std::optional<std::size_t> best;
    for (const Method& method : timings.methods) {
      read.push_back(timings.column_of(i, method));
      const bool first = read.back() && !best;
      if (first || (read.back() &&
                    timings.at(i, *read.back()).known_us() < timings.at(i, *best).known_us())) {
        best = read.back();
      }
    }
    if (!best) continue;
    const Time best_time = timings.at(i, *best);
    for (std::size_t m = 0; m < methods; ++m) {
      if (!read[m]) continue;
      const Time time = timings.at(i, *read[m]);
      if (!time.interval() || !best_time.interval()) continue;
      if (time.interval()->low > best_time.interval()->high ||
          time.known_us() > best_time.known_us() * (1 + kMostTied))
        continue;
      grid.tied_us[grid.at(cell, columns[m])] = best_time.known_us();
    }
  }
}

// Also in holes a collective can only be given its own methods.
void fill_existing(MeasuredGrid& grid, const Timings& timings) {
  const bool several = grid.axes.back().is_collective;
  const std::size_t stride = several ? grid.axes.back().size() : 1;
  const std::size_t first =
      several ? grid.axes.back().index({.collective = timings.collective}) : 0;
  for (const std::size_t column : columns_of(grid, timings)) {
    for (std::size_t cell = first; cell < grid.cells(); cell += stride) {
      grid.exists[grid.at(cell, column)] = true;
    }
  }
}

// The instance with every placement of the grid: a mix of calls knows none.
std::vector<Instance> placed(const MeasuredGrid& grid, const Instance& instance) {
  std::vector<Instance> instances = {instance};
  for (const GridAxis& axis : grid.axes) {
    const bool nodes = axis.attribute == Attribute::kNodes;
    if (axis.is_collective || (!nodes && axis.attribute != Attribute::kRanksPerNode)) continue;
    std::vector<Instance> longer;
    for (Instance one : instances) {
      for (const std::uint64_t value : axis.values) {
        (nodes ? one.nodes : one.ranks_per_node) = value;
        longer.push_back(one);
      }
    }
    instances = std::move(longer);
  }
  return instances;
}

}  // namespace

std::size_t MeasuredGrid::measured_cells() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(instance, [](const auto& one) { return one.has_value(); }));
}

double MeasuredGrid::total_weight() const {
  return std::accumulate(weight.begin(), weight.end(), 0.0);
}

MeasuredGrid make_measured_grid(Many timings) {
  MeasuredGrid grid{make_grid(timings)};
  for (const Timings& one : timings) grid.collectives.push_back(one.collective);
  std::ranges::sort(grid.collectives);
  grid.methods = united_methods(timings);
  grid.weight.resize(grid.cells());
  grid.time_us.assign(grid.cells() * grid.methods.size(), kNoTime);
  grid.exists.resize(grid.cells() * grid.methods.size());
  for (const Timings& one : timings) {
    fill_measured(grid, one);
    fill_existing(grid, one);
  }
  grid.tied_us = grid.time_us;
  for (const Timings& one : timings) fill_ties(grid, one);
  return grid;
}

void weigh(MeasuredGrid& grid, std::span<const CallCount> mix) {
  std::ranges::fill(grid.weight, 0.0);
  for (const CallCount& one : mix) {
    const bool known = std::ranges::count(grid.collectives, one.instance.collective) > 0;
    if (!known) continue;
    for (const Instance& instance : placed(grid, one.instance)) {
      const std::size_t cell = grid.cell_of(instance);
      if (grid.instance[cell]) grid.weight[cell] += one.calls;
    }
  }
  if (grid.total_weight() <= 0) throw Error("no call of the mix falls on a measured point");
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
