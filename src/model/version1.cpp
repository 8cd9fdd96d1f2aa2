// SPDX-License-Identifier: BSD-3-Clause
#include "model/version1.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "model/c45/rules/rule.h"
#include "model/c45/tree.h"
#include "model/kinds/c45_rules.h"
#include "model/kinds/c45_tree.h"
#include "model/quadtree/grid_tree.h"

namespace colltree {

namespace {

constexpr std::uint64_t kMostIndex = 0xFFFFFFFE;

std::uint32_t index_field(const Json& object, const char* field) {
  return static_cast<std::uint32_t>(json_unsigned(object, field, kMostIndex));
}

GridAxis axis_from_json(const Json& object) {
  const std::string attribute = json_string(object, "attribute");
  if (attribute != "collective") {
    return make_axis(parse_attribute(attribute), json_unsigned_list(object, "values"));
  }
  std::vector<Collective> collectives;
  for (const Json& value : json_array(object, "values")) {
    if (!value.is_string()) throw Error("'values' of the collective axis must be names");
    collectives.push_back(parse_collective(value.get<std::string>()));
  }
  return make_collective_axis(collectives);
}

// [method], or [first child, split of each axis or null].
GridNode node_from_json(const Json& list, std::size_t axes) {
  GridNode node;
  if (list.is_array() && list.size() == 1) {
    node.method = static_cast<std::uint16_t>(json_unsigned_value(list[0], "nodes", 0xFFFF));
    return node;
  }
  if (!list.is_array() || list.size() != axes + 1) {
    throw Error("'nodes' must hold [method] or [first child, split of each axis], not " +
                list.dump());
  }
  constexpr std::uint64_t kMost = GridNode::kNoSplit - 16;
  node.first_child = static_cast<std::uint32_t>(json_unsigned_value(list[0], "first child", kMost));
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (list[axis + 1].is_null()) continue;
    node.split[axis] =
        static_cast<std::uint32_t>(json_unsigned_value(list[axis + 1], "split", kMost));
  }
  if (node.is_leaf()) throw Error("'nodes' holds an inner node without a split");
  return node;
}

// Two sizes, and a collective for each origin or none.
void check_axes(const std::vector<GridAxis>& axes, const ModelOrigin& origin) {
  if (axes.size() < 2 || axes.size() > kMostAxes) throw Error("'axes' must be two or three");
  std::size_t decided = 1;
  for (const GridAxis& axis : axes) {
    if (axis.is_collective) decided = axis.size();
    if (axis.is_collective && &axis != &axes.back())
      throw Error("a collective axis must be the last");
  }
  if (origin.collectives.size() != decided) {
    throw Error("'origin.collectives' does not fit the axes of the body");
  }
}

// Attributes, collectives and methods that the nodes and rules of C4.5 speak of.
C45Vocabulary read_vocabulary(const ModelOrigin& origin, std::vector<Method> methods,
                              const Json& body) {
  C45Vocabulary words{.collectives = origin.collectives, .methods = std::move(methods)};
  json_each(body, "attributes", [&](const Json& feature) {
    if (!feature.is_string()) throw Error("expected the name of an attribute");
    words.features.push_back(parse_c45_feature(feature.text()));
  });
  return words;
}

void check_method(const C45Vocabulary& words, const std::string& where, std::uint32_t method) {
  if (method < words.methods.size()) return;
  throw Error(fmt::format("{}: method {} of {}", where, method, words.methods.size()));
}

void check_test(const C45Vocabulary& words, const std::string& where, std::uint32_t attribute,
                bool is_threshold, const char* what) {
  if (attribute >= words.features.size()) {
    throw Error(fmt::format("{}: attribute {} of {}", where, attribute, words.features.size()));
  }
  if (is_threshold == (words.features[attribute] == C45Feature::kCollective)) {
    throw Error(fmt::format("{}: the {} does not fit the attribute", where, what));
  }
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
  node.label = index_field(value, "method");
  node.items = static_cast<float>(json_number(value, "cases"));
  node.errors = static_cast<float>(json_number(value, "errors"));
  if (value.contains("attribute")) {
    node.attribute = index_field(value, "attribute");
    node.first = static_cast<std::uint32_t>(tree.links.size());
    for (const std::uint64_t child : json_unsigned_list(value, "branches", kMostIndex)) {
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

void check_tree(const c45::Tree& tree, const C45Vocabulary& words) {
  if (tree.nodes.empty()) throw Error("'nodes' is empty");
  std::vector<bool> has_parent(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const c45::Node& node = tree.nodes[i];
    const std::string where = fmt::format("node {}", i);
    check_method(words, where, node.label);
    if (node.is_leaf()) continue;
    check_test(words, where, node.attribute, node.test == c45::TestKind::kThreshold, "test");
    const std::size_t branches = node.test == c45::TestKind::kValues ? words.collectives.size() : 2;
    if (node.count < branches && node.test != c45::TestKind::kGroups) {
      throw Error(fmt::format("{}: {} branches, expected {}", where, node.count, branches));
    }
    for (const std::uint32_t child : tree.branches(node)) {
      if (child <= i || child >= tree.nodes.size()) {
        throw Error(fmt::format("{}: branch to node {}", where, child));
      }
      if (has_parent[child]) throw Error(fmt::format("node {} has two parents", child));
      has_parent[child] = true;
    }
  }
}

c45::Condition read_condition(const Json& value, std::size_t collectives) {
  c45::Condition condition;
  condition.attribute = index_field(value, "attribute");
  if (value.contains("values")) {
    condition.kind = c45::ConditionKind::kGroup;
    for (const std::uint64_t one : json_unsigned_list(value, "values", collectives)) {
      if (one == 0) throw Error("'values' count from 1");
      condition.values.push_back(static_cast<std::uint32_t>(one));
    }
    std::ranges::sort(condition.values);
    if (condition.values.size() == 1) {
      condition.kind = c45::ConditionKind::kValue;
      condition.value = condition.values[0];
    }
    return condition;
  }
  condition.above = value.contains("above");
  condition.cut = static_cast<float>(json_number(value, condition.above ? "above" : "at_most"));
  return condition;
}

void check_rules(const c45::RuleSet& set, const C45Vocabulary& words) {
  check_method(words, "'default'", set.default_label);
  for (std::size_t i = 0; i < set.rules.size(); ++i) {
    const std::string where = fmt::format("rule {}", i);
    check_method(words, where, set.rules[i].label);
    for (const c45::Condition& condition : set.rules[i].conditions) {
      const bool is_threshold = condition.kind == c45::ConditionKind::kThreshold;
      check_test(words, where, condition.attribute, is_threshold, "condition");
    }
  }
}

}  // namespace

OldBody read_old_grid_tree(const ModelOrigin& origin, std::vector<Method> methods,
                           const Json& body) {
  std::vector<GridAxis> axes;
  json_each(body, "axes", [&](const Json& axis) { axes.push_back(axis_from_json(axis)); });
  check_axes(axes, origin);
  GridTree tree;
  json_each(body, "nodes",
            [&](const Json& node) { tree.push_back(node_from_json(node, axes.size())); });
  for (const GridAxis& axis : axes) validate(axis);
  validate(tree, axes, methods.size());
  return {lower_grid_tree(tree, axes, methods, origin.collectives), ""};
}

OldBody read_old_c45_tree(const ModelOrigin& origin, std::vector<Method> methods,
                          const Json& body) {
  const C45Vocabulary words = read_vocabulary(origin, std::move(methods), body);
  c45::Tree tree;
  json_each(body, "nodes",
            [&](const Json& node) { read_node(node, words.collectives.size(), tree); });
  check_tree(tree, words);
  return {lower(tree, words), c45::tree_text(tree, c45_schema(words))};
}

OldBody read_old_c45_rules(const ModelOrigin& origin, std::vector<Method> methods,
                           const Json& body) {
  const C45Vocabulary words = read_vocabulary(origin, std::move(methods), body);
  c45::RuleSet set;
  set.default_label = index_field(body, "default");
  json_each(body, "rules", [&](const Json& value) {
    c45::Rule rule;
    rule.number = index_field(value, "number");
    rule.label = index_field(value, "method");
    rule.error = static_cast<float>(json_number(value, "error_rate"));
    json_each(value, "conditions", [&](const Json& one) {
      rule.conditions.push_back(read_condition(one, words.collectives.size()));
    });
    set.rules.push_back(std::move(rule));
  });
  check_rules(set, words);
  return {lower(set, words), c45::rules_text(set, c45_schema(words))};
}

}  // namespace colltree
