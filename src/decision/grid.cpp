// SPDX-License-Identifier: BSD-3-Clause
#include "decision/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "coll/catalogue.h"

namespace colltree {

namespace {

struct Neighbour {
  std::size_t instance;
  double distance;  // in octaves
};

struct Bracket {
  Neighbour low;
  Neighbour high;
};

// An empty message lies one octave below one byte.
double octaves(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

std::string placement(const Instance& instance) {
  return fmt::format("{}x{}", instance.nodes, instance.ranks_per_node);
}

std::size_t position(const std::vector<std::uint64_t>& sizes, std::uint64_t size) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes, size) - sizes.begin());
}

// The nearest measured cell from `cell` on, in steps of `step` cells along the axis of `sizes`.
std::optional<Neighbour> walk(const InstanceGrid& grid, const std::vector<std::uint64_t>& sizes,
                              std::size_t at, std::size_t cell, std::ptrdiff_t direction,
                              std::size_t step) {
  const double start = octaves(sizes[at]);
  for (auto i = static_cast<std::ptrdiff_t>(at) + direction;
       i >= 0 && i < static_cast<std::ptrdiff_t>(sizes.size()); i += direction) {
    cell = direction < 0 ? cell - step : cell + step;
    if (const auto instance = grid.instance[cell]) {
      return Neighbour{*instance, std::fabs(octaves(sizes[static_cast<std::size_t>(i)]) - start)};
    }
  }
  return std::nullopt;
}

std::vector<Bracket> brackets(const InstanceGrid& grid, std::size_t cell) {
  const std::size_t columns = grid.message_sizes.size();
  const std::size_t row = cell / columns;
  const std::size_t column = cell % columns;
  std::vector<Bracket> found;
  const auto add = [&](const std::vector<std::uint64_t>& sizes, std::size_t at, std::size_t step) {
    const auto low = walk(grid, sizes, at, cell, -1, step);
    const auto high = walk(grid, sizes, at, cell, +1, step);
    if (low && high) found.push_back({*low, *high});
  };
  add(grid.communicator_sizes, row, columns);
  add(grid.message_sizes, column, 1);
  return found;
}

std::size_t nearest_instance(const InstanceGrid& grid, const Timings& timings,
                             const Instance& hole) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& instance : grid.instance) {
    if (!instance) continue;
    const Instance& there = timings.instances[*instance];
    const double distance =
        std::hypot(octaves(there.communicator_size) - octaves(hole.communicator_size),
                   octaves(there.message_size) - octaves(hole.message_size));
    if (distance < least) {
      least = distance;
      nearest = *instance;
    }
  }
  return nearest;
}

// kNoTime passes through the arithmetic as the NaN it is.
double interpolate(const Timings& timings, const std::vector<Bracket>& axes, const Method& method) {
  double sum = 0;
  for (const Bracket& axis : axes) {
    const double low = std::log(timings.time_of(axis.low.instance, method));
    const double high = std::log(timings.time_of(axis.high.instance, method));
    const double share = axis.low.distance / (axis.low.distance + axis.high.distance);
    sum += low + share * (high - low);
  }
  return axes.empty() ? kNoTime : std::exp(sum / static_cast<double>(axes.size()));
}

Instance instance_at(const InstanceGrid& grid, Collective collective, std::size_t cell) {
  const std::size_t columns = grid.message_sizes.size();
  return {collective, grid.communicator_sizes[cell / columns], grid.message_sizes[cell % columns]};
}

[[noreturn]] void refuse_placements(const Instance& one, const Instance& other) {
  throw Error(fmt::format(
      "{} on {} ranks with {} B was measured with several placements (nodes x ranks per node {} "
      "and {}); a decision map needs one: import each placement as a system of its own",
      name(one.collective), one.communicator_size, one.message_size, placement(one),
      placement(other)));
}

}  // namespace

InstanceGrid make_grid(const Timings& timings) {
  if (timings.instances.empty()) {
    throw Error(fmt::format("{}: there are no measured points", name(timings.collective)));
  }
  std::set<std::uint64_t> rows;
  std::set<std::uint64_t> columns;
  for (const Instance& instance : timings.instances) {
    rows.insert(instance.communicator_size);
    columns.insert(instance.message_size);
  }
  InstanceGrid grid{{rows.begin(), rows.end()}, {columns.begin(), columns.end()}, {}};
  grid.instance.resize(rows.size() * columns.size());
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& instance = timings.instances[i];
    auto& cell = grid.instance[position(grid.communicator_sizes, instance.communicator_size) *
                                   columns.size() +
                               position(grid.message_sizes, instance.message_size)];
    if (cell) refuse_placements(timings.instances[*cell], instance);
    cell = i;
  }
  return grid;
}

std::vector<double> interpolated_times(const InstanceGrid& grid, const Timings& timings,
                                       std::size_t cell) {
  const Instance hole = instance_at(grid, timings.collective, cell);
  const std::vector<Bracket> axes = brackets(grid, cell);
  const std::size_t nearest = nearest_instance(grid, timings, hole);
  std::vector<double> times;
  for (const Method& method : timings.methods) {
    times.push_back(interpolate(timings, axes, effective_method(method, hole)));
  }
  if (std::ranges::all_of(times, [](double time) { return std::isnan(time); })) {
    std::ranges::transform(timings.methods, times.begin(), [&](const Method& method) {
      return timings.time_of(nearest, effective_method(method, hole));
    });
  }
  return times;
}

}  // namespace colltree
