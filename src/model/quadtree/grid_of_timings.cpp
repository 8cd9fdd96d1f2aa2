// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_of_timings.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"

namespace colltree {

namespace {

// The instances with each number of ranks per node; of no other difference in placement is there
// need then.
std::map<std::uint64_t, std::vector<std::size_t>> by_ranks_per_node(const Timings& all) {
  std::map<std::uint64_t, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < all.instances.size(); ++i) {
    parts[all.instances[i].ranks_per_node].push_back(i);
  }
  return parts;
}

LabelGrid placement_grid(const Timings& timings) {
  std::vector<DecisionMap> maps;
  std::vector<std::uint64_t> ranks_per_node;
  for (const auto& [ranks, part] : by_ranks_per_node(timings)) {
    if (ranks == 0) throw Error("--third ranks_per_node: the profile does not say it everywhere");
    maps.push_back(make_decision_map(select_instances(timings, part)));
    ranks_per_node.push_back(ranks);
  }
  return make_placement_grid(maps, ranks_per_node);
}

}  // namespace

LabelGrid make_grid_of(const std::vector<Timings>& timings, std::string_view third) {
  if (third == "ranks_per_node") {
    if (timings.size() == 1) return placement_grid(timings[0]);
    throw UsageError("--third ranks_per_node: give one --collective");
  }
  if (third != "collective") {
    throw UsageError(fmt::format("--third: '{}' is neither collective nor ranks_per_node", third));
  }
  std::vector<DecisionMap> maps;
  for (const Timings& one : timings) maps.push_back(make_decision_map(one));
  return maps.size() == 1 ? make_label_grid(maps[0]) : make_collective_grid(maps);
}

}  // namespace colltree
