// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/label_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "model/rule_tree.h"

namespace colltree::model {

namespace {

GridAxis united(std::span<const DecisionMap> maps, std::size_t axis) {
  std::set<std::uint64_t> values;
  for (const DecisionMap& map : maps)
    values.insert(map.axes[axis].values.begin(), map.axes[axis].values.end());
  return make_axis(maps[0].axes[axis].attribute, {values.begin(), values.end()});
}

// Grid of the first two axes, point by point from the nearest cell of each map.
LabelGrid stack(std::span<const DecisionMap> maps, const std::vector<std::size_t>& order) {
  if (maps.empty()) throw Error("an octree needs at least one decision map");
  LabelGrid grid;
  grid.axes = {united(maps, 0), united(maps, 1)};
  std::vector<std::vector<std::uint16_t>> renumbered(maps.size());
  for (const std::size_t i : order) {
    for (const Method& method : maps[i].methods) {
      renumbered[i].push_back(index_of_method(grid.methods, method));
    }
  }
  for (const std::uint64_t communicator_size : grid.axes[0].values) {
    for (const std::uint64_t message_size : grid.axes[1].values) {
      const Instance instance{.communicator_size = communicator_size, .message_size = message_size};
      for (const std::size_t i : order) {
        grid.labels.push_back(renumbered[i][maps[i].best[maps[i].cell_of(instance)]]);
      }
    }
  }
  return grid;
}

// The instances of each number of ranks per node. With these apart, no other difference in
// placement needs to be.
std::map<std::uint64_t, std::vector<std::size_t>> by_ranks_per_node(const Timings& timings) {
  std::map<std::uint64_t, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    parts[timings.instances[i].ranks_per_node].push_back(i);
  }
  return parts;
}

LabelGrid placement_grid(const Timings& timings) {
  std::vector<DecisionMap> maps;
  std::vector<std::uint64_t> ranks_per_node;
  for (const auto& [ranks, part] : by_ranks_per_node(timings)) {
    if (ranks == 0) throw Error("third=ranks_per_node: the profile does not say it everywhere");
    maps.push_back(make_decision_map(select_instances(timings, part)));
    ranks_per_node.push_back(ranks);
  }
  return make_placement_grid(maps, ranks_per_node);
}

}  // namespace

LabelGrid make_label_grid(const DecisionMap& map) {
  return {.methods = map.methods,
          .collectives = {map.collective},
          .axes = map.axes,
          .labels = map.best};
}

LabelGrid make_collective_grid(std::span<const DecisionMap> maps) {
  std::vector<std::size_t> order(maps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return maps[i].collective; });
  LabelGrid grid = stack(maps, order);
  for (const std::size_t i : order) {
    grid.collectives.push_back(maps[i].collective);
    std::vector<bool> has(grid.methods.size());
    for (const Method& method : maps[i].methods) has[index_of_method(grid.methods, method)] = true;
    grid.available.push_back(std::move(has));
  }
  grid.axes.push_back(make_collective_axis(grid.collectives));
  return grid;
}

LabelGrid make_placement_grid(std::span<const DecisionMap> maps,
                              const std::vector<std::uint64_t>& ranks_per_node) {
  if (maps.size() != ranks_per_node.size())
    throw Error("one map for each number of ranks per node");
  std::vector<std::size_t> order(maps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return ranks_per_node[i]; });
  LabelGrid grid = stack(maps, order);
  grid.collectives = {maps[0].collective};
  std::vector<std::uint64_t> values = ranks_per_node;
  std::ranges::sort(values);
  grid.axes.push_back(make_axis(Attribute::kRanksPerNode, std::move(values)));
  return grid;
}

std::vector<double> grid_weights(const LabelGrid& grid, std::span<const CallCount> mix) {
  std::vector<double> weights(grid.points());
  bool any = false;
  for (const CallCount& count : mix) {
    if (std::ranges::count(grid.collectives, count.instance.collective) == 0) continue;
    weights[point_of(grid.axes, count.instance)] += count.calls;
    any = true;
  }
  if (!any) throw Error("the mix holds no call of the collectives that are fitted");
  return weights;
}

LabelGrid make_grid_of(const std::vector<Timings>& timings, std::string_view third) {
  if (third == "ranks_per_node") {
    if (timings.size() == 1) return placement_grid(timings[0]);
    throw UsageError("third=ranks_per_node: give one --collective");
  }
  if (third != "collective") {
    throw UsageError(fmt::format("third: '{}' is neither collective nor ranks_per_node", third));
  }
  std::vector<DecisionMap> maps;
  for (const Timings& table : timings) maps.push_back(make_decision_map(table));
  return maps.size() == 1 ? make_label_grid(maps[0]) : make_collective_grid(maps);
}

}  // namespace colltree::model
