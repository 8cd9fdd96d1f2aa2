// SPDX-License-Identifier: BSD-3-Clause
// For tests and benchmarks: random decision maps and models, and the instances where two
// representations of one decision function can differ.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string_view>

#include "base/json.h"
#include "model/model.h"
#include "timings/decision_map.h"

namespace colltree::testing {

using Random = std::mt19937_64;

inline std::uint64_t pick(Random& random, std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}

inline std::vector<std::uint64_t> random_sizes(Random& random, std::size_t count, unsigned bits) {
  std::set<std::uint64_t> sizes;
  while (sizes.size() < count) sizes.insert(random() >> (64 - pick(random, 1, bits)));
  return {sizes.begin(), sizes.end()};
}

// Regions of one method with some noise, as measured maps have. Without times.
inline DecisionMap random_map(Random& random, std::size_t rows, std::size_t columns,
                              std::size_t methods) {
  DecisionMap map;
  for (std::size_t i = 0; i < methods; ++i) {
    map.methods.push_back({"algorithm_" + std::to_string(i / 3), (i % 3) << 10});
  }
  map.axes.push_back(make_axis(Attribute::kCommunicatorSize, random_sizes(random, rows, 12)));
  map.axes.push_back(make_axis(Attribute::kMessageSize, random_sizes(random, columns, 40)));
  const std::uint64_t slope = pick(random, 1, 8);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const bool noise = pick(random, 0, 9) == 0;
      const std::uint64_t region = (row * slope + column) / 7;
      map.best.push_back(
          static_cast<std::uint16_t>((noise ? pick(random, 0, methods - 1) : region) % methods));
      map.origin.push_back(CellOrigin::kMeasured);
    }
  }
  return map;
}

// The value at a place of a model's document: "/body/rules/0"; the whole at "".
inline Json& json_place(Json& json, std::string_view place) {
  if (place.empty()) return json;
  const std::string_view key = place.substr(1, place.find('/', 1) - 1);
  Json& inner = json.is_array() ? json[std::stoul(std::string(key))] : json[key];
  return json_place(inner, place.substr(1 + key.size()));
}

inline void add_around(std::set<std::uint64_t>& values, std::uint64_t value) {
  values.insert(value);
  values.insert(value - (value > 0));
  values.insert(value + (value < UINT64_MAX));
}

// Every combination of the values at and beside each threshold of the tree, each further value
// given, and the ends of the integers.
inline std::vector<Instance> telling_instances(const model::RuleTree& tree,
                                               const std::vector<Instance>& further = {}) {
  std::set<std::uint64_t> values[kAttributes];
  for (auto& one : values) one = {0, 1, std::uint64_t{1} << 63, UINT64_MAX};
  const auto at = [&](Attribute attribute) -> auto& {
    return values[static_cast<std::size_t>(attribute)];
  };
  for (const model::RuleNode& node : tree.nodes) {
    if (!node.is_leaf()) add_around(at(node.attribute), node.threshold);
  }
  for (const Instance& instance : further) {
    at(Attribute::kCommunicatorSize).insert(instance.communicator_size);
    at(Attribute::kMessageSize).insert(instance.message_size);
  }
  const bool placement =
      at(Attribute::kNodes).size() > 4 || at(Attribute::kRanksPerNode).size() > 4;
  std::vector<Instance> instances;
  for (const model::RuleTree::Root& root : tree.roots) {
    for (const std::uint64_t ranks : at(Attribute::kCommunicatorSize)) {
      for (const std::uint64_t bytes : at(Attribute::kMessageSize)) {
        instances.push_back({root.collective, ranks, bytes});
        if (!placement) continue;
        for (const std::uint64_t nodes : at(Attribute::kNodes)) {
          for (const std::uint64_t per_node : at(Attribute::kRanksPerNode)) {
            instances.push_back({root.collective, ranks, bytes, nodes, per_node});
          }
        }
      }
    }
  }
  return instances;
}

inline std::vector<Instance> grid_instances(const DecisionMap& map) {
  std::vector<Instance> instances;
  for (const std::uint64_t ranks : map.communicator_sizes()) {
    for (const std::uint64_t bytes : map.message_sizes()) {
      instances.push_back({map.collective, ranks, bytes});
    }
  }
  return instances;
}

}  // namespace colltree::testing
