// SPDX-License-Identifier: BSD-3-Clause
// The body of a C4.5 model in M.json, and back.
#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "model/c45_model.h"
#include "model/json_fields.h"
#include "model/model_kind.h"

namespace colltree {

namespace {

Json node_to_json(const c45::Tree& tree, const c45::Node& node) {
  Json value = {{"method", node.label}, {"cases", node.items}, {"errors", node.errors}};
  if (node.is_leaf()) return value;
  value["attribute"] = node.attribute;
  value["branches"] = tree.branches(node);
  if (node.test == c45::TestKind::kThreshold) value["threshold"] = node.cut;
  if (node.test == c45::TestKind::kGroups) {
    Json groups = Json::array();
    for (std::uint32_t b = 0; b < node.count; ++b)
      groups.push_back(c45::group_values(tree, node, b));
    value["groups"] = std::move(groups);
  }
  return value;
}

std::uint32_t small(const Json& object, const char* field) {
  return static_cast<std::uint32_t>(json_unsigned(object, field, 0xFFFFFFFE));
}

void read_groups(const Json& groups, std::size_t values, c45::Tree& tree, c45::Node& node) {
  node.test = c45::TestKind::kGroups;
  node.groups = static_cast<std::uint32_t>(tree.group_of.size());
  node.values = static_cast<std::uint32_t>(values);
  tree.group_of.resize(tree.group_of.size() + values, c45::kNoBranch);
  for (std::uint32_t b = 0; b < groups.size(); ++b) {
    if (!groups[b].is_array()) throw Error("'groups' must hold lists of values");
    for (const Json& value : groups[b]) {
      const std::uint64_t v = json_unsigned_value(value, "groups", values);
      if (v == 0) throw Error("'groups': values count from 1");
      tree.group_of[node.groups + v - 1] = b;
    }
  }
}

void read_node(const Json& value, std::size_t collectives, c45::Tree& tree) {
  c45::Node node;
  node.label = small(value, "method");
  node.items = static_cast<float>(json_number(value, "cases"));
  node.errors = static_cast<float>(json_number(value, "errors"));
  if (value.contains("attribute")) {
    node.attribute = small(value, "attribute");
    node.first = static_cast<std::uint32_t>(tree.links.size());
    for (const std::uint64_t child : json_unsigned_list(value, "branches", 0xFFFFFFFE)) {
      tree.links.push_back(static_cast<std::uint32_t>(child));
    }
    node.count = static_cast<std::uint32_t>(tree.links.size()) - node.first;
    if (value.contains("threshold")) {
      node.test = c45::TestKind::kThreshold;
      node.cut = node.lower = node.upper = static_cast<float>(json_number(value, "threshold"));
    } else if (value.contains("groups")) {
      read_groups(json_array(value, "groups"), collectives, tree, node);
    } else {
      node.test = c45::TestKind::kValues;
    }
  }
  tree.nodes.push_back(node);
}

}  // namespace

Json C45Model::body() const {
  Json nodes = Json::array();
  for (const c45::Node& node : tree_.nodes) nodes.push_back(node_to_json(tree_, node));
  return {{"attributes", attributes_json()}, {"nodes", nodes}};
}

C45Model::C45Model(const StoredModel& stored) : C45Based(stored) {
  json_each(stored.body, "nodes",
            [&](const Json& node) { read_node(node, stored.origin.collectives.size(), tree_); });
  validate_tree();
}

std::unique_ptr<DecisionFunction> read_c45(StoredModel stored) {
  return std::make_unique<C45Model>(stored);
}

std::unique_ptr<DecisionFunction> fit_c45(const std::vector<Timings>& timings,
                                          const Json& parameters) {
  return std::make_unique<C45Model>(origin_of(timings), timings, read_c45_options(parameters));
}

}  // namespace colltree
