// SPDX-License-Identifier: BSD-3-Clause
#include "profile/split_placements.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace colltree::profile {

namespace {

// The instance with the parts of its placement that the names of the systems hold; 0: not in the
// name, or not known.
using Part = Instance (*)(Instance);

constexpr Part kParts[] = {
    [](Instance instance) {
      instance.nodes = instance.ranks_per_node = 0;
      return instance;
    },
    [](Instance instance) {
      instance.nodes = 0;
      return instance;
    },
    [](Instance instance) {
      instance.ranks_per_node = 0;
      return instance;
    },
    [](Instance instance) { return instance; },
};

std::string suffix(const Instance& part) {
  if (part.nodes == 0 && part.ranks_per_node == 0) return "";
  if (part.nodes == 0) return fmt::format("-ppn{}", part.ranks_per_node);
  if (part.ranks_per_node == 0) return fmt::format("-nodes{}", part.nodes);
  return fmt::format("-{}x{}", part.nodes, part.ranks_per_node);
}

// The systems with a point that has several placements although these parts are distinguished.
std::set<std::string> unsettled_by(Part part, const ReadCells& cells) {
  std::set<std::string> unsettled;
  std::map<std::pair<std::string, Instance>, Instance> placed;
  for (const auto& [cell, samples] : cells) {
    const auto& [system, instance, method] = cell;
    const auto& first = placed.try_emplace({system, part(instance)}, instance).first->second;
    if (first != instance) unsettled.insert(system);
  }
  return unsettled;
}

// The first of the parts that suffices for each system; the last one always does.
std::map<std::string, Part> parts_of_systems(const ReadCells& cells) {
  std::map<std::string, Part> parts;
  for (const Part part : kParts) {
    const std::set<std::string> unsettled = unsettled_by(part, cells);
    for (const auto& [cell, samples] : cells) {
      const std::string& system = std::get<std::string>(cell);
      if (!unsettled.contains(system)) parts.try_emplace(system, part);
    }
  }
  return parts;
}

}  // namespace

std::map<std::string, std::string> split_placements(ReadCells& cells) {
  const std::map<std::string, Part> parts = parts_of_systems(cells);
  std::map<std::string, std::string> origins;
  ReadCells split;
  while (!cells.empty()) {
    auto moved = cells.extract(cells.begin());
    auto& [system, instance, method] = moved.key();
    const std::string name = system + suffix(parts.at(system)(instance));
    const std::string& origin = origins.try_emplace(name, system).first->second;
    if (origin != system)
      throw Error(fmt::format(
          "placements of system '{}' would be mixed with system '{}' of the same file: rename one",
          std::min(origin, system), name));
    system = name;
    split.insert(std::move(moved));
  }
  cells = std::move(split);
  return origins;
}

}  // namespace colltree::profile
