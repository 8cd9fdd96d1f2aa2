// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "model/rule_tree.h"

namespace colltree::model {

namespace {

constexpr std::string_view kNames[] = {"collective",           "communicator_size",
                                       "message_size",         "nodes",
                                       "ranks_per_node",       "communicator_size_is_power_of_two",
                                       "message_size_is_even", "log2_message_size"};

// A field that is unknown somewhere or the same everywhere cannot tell instances apart.
bool varies(const std::vector<Timings>& timings, std::uint64_t Instance::*field) {
  std::optional<std::uint64_t> first;
  bool different = false;
  for (const Timings& table : timings) {
    for (const Instance& instance : table.instances) {
      if (instance.*field == 0) return false;
      different |= first && *first != instance.*field;
      first = instance.*field;
    }
  }
  return different;
}

std::vector<C45Feature> choose_features(const std::vector<Timings>& timings,
                                        const C45FeatureOptions& options) {
  std::vector<C45Feature> features;
  if (timings.size() > 1) features.push_back(C45Feature::kCollective);
  features.push_back(C45Feature::kCommunicatorSize);
  features.push_back(C45Feature::kMessageSize);
  if (options.nodes && varies(timings, &Instance::nodes)) features.push_back(C45Feature::kNodes);
  if (options.ranks_per_node && varies(timings, &Instance::ranks_per_node)) {
    features.push_back(C45Feature::kRanksPerNode);
  }
  if (options.power_of_two) features.push_back(C45Feature::kPowerOfTwo);
  if (options.parity) features.push_back(C45Feature::kParity);
  if (options.log2_message_size) features.push_back(C45Feature::kLog2MessageSize);
  return features;
}

void add_case(C45Table& table, std::uint32_t collective, const Instance& instance,
              const Method& best) {
  for (std::size_t a = 0; a < table.features.size(); ++a) {
    if (table.features[a] == C45Feature::kCollective) {
      table.cases.values[a].push_back(collective + 1);
    } else {
      table.cases.numbers[a].push_back(feature_value(table.features[a], instance));
    }
  }
  table.cases.label.push_back(index_of_method(table.methods, best));
}

// The attribute of the rule tree that a test of this feature becomes.
Attribute attribute_of(C45Feature feature) {
  constexpr Attribute kAttribute[] = {Attribute::kCommunicatorSize,  // never asked
                                      Attribute::kCommunicatorSize,
                                      Attribute::kMessageSize,
                                      Attribute::kNodes,
                                      Attribute::kRanksPerNode,
                                      Attribute::kCommunicatorSizeIsPowerOfTwo,
                                      Attribute::kMessageSizeIsEven,
                                      Attribute::kMessageSize};
  return kAttribute[static_cast<std::size_t>(feature)];
}

c45::Schema c45_schema(const C45Vocabulary& words) {
  c45::Schema schema;
  for (const Method& method : words.methods) schema.classes.push_back(method.label());
  for (const C45Feature feature : words.features) {
    c45::Attribute attribute{.name = std::string(name(feature))};
    if (feature == C45Feature::kCollective) {
      attribute.kind = c45::AttributeKind::kDiscrete;
      for (const Collective collective : words.collectives) {
        attribute.values.emplace_back(name(collective));
      }
    }
    schema.attributes.push_back(std::move(attribute));
  }
  return schema;
}

}  // namespace

std::string_view name(C45Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

float feature_value(C45Feature feature, const Instance& instance) {
  switch (feature) {
    case C45Feature::kCommunicatorSize:
      return static_cast<float>(instance.communicator_size);
    case C45Feature::kMessageSize:
      return static_cast<float>(instance.message_size);
    case C45Feature::kNodes:
      return static_cast<float>(instance.nodes);
    case C45Feature::kRanksPerNode:
      return static_cast<float>(instance.ranks_per_node);
    case C45Feature::kPowerOfTwo:
      return std::has_single_bit(instance.communicator_size) ? 1.0F : 0.0F;
    case C45Feature::kParity:
      return instance.message_size % 2 == 0 ? 1.0F : 0.0F;
    case C45Feature::kLog2MessageSize:
      // -1 for the empty message, below log2(1).
      return instance.message_size == 0
                 ? -1.0F
                 : static_cast<float>(std::log2(static_cast<double>(instance.message_size)));
    case C45Feature::kCollective:
      break;
  }
  throw Error("the collective is not a number");
}

C45Table make_c45_table(const std::vector<Timings>& timings, const C45FeatureOptions& options) {
  C45Table table;
  table.features = choose_features(timings, options);
  table.cases.numbers.resize(table.features.size());
  table.cases.values.resize(table.features.size());
  for (const Timings& timings_of_one : timings) {
    const auto collective = static_cast<std::uint32_t>(table.collectives.size());
    table.collectives.push_back(timings_of_one.collective);
    for (std::size_t i = 0; i < timings_of_one.instances.size(); ++i) {
      const auto best = timings_of_one.best_at(i);
      if (best)
        add_case(table, collective, timings_of_one.instances[i], timings_of_one.methods[*best]);
    }
  }
  if (table.cases.size() == 0) throw Error("no instance has a time: nothing to learn from");
  table.schema = c45_schema(table);
  return table;
}

std::optional<Bound> integer_test(C45Feature feature, float cut) {
  if (feature == C45Feature::kPowerOfTwo || feature == C45Feature::kParity) {
    if (cut < 0) return std::nullopt;
    return Bound{attribute_of(feature), cut < 1 ? 0U : 1U};
  }
  const auto holds = [&](std::uint64_t value) {
    Instance instance;
    instance.communicator_size = instance.message_size = value;
    instance.nodes = instance.ranks_per_node = value;
    return feature_value(feature, instance) <= cut;
  };
  if (!holds(0)) return std::nullopt;
  // feature_value never falls with the integer, so bisection finds the last one that holds.
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  if (holds(high)) low = high;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return Bound{attribute_of(feature), low};
}

}  // namespace colltree::model
