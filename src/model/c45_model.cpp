// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "model/c45/text.h"
#include "model/c45/tree.h"
#include "model/json_fields.h"
#include "model/kind.h"

namespace colltree {

namespace {

Json before_or_after(const c45::Tree& tree, const C45Table& table) {
  const c45::TreeSize size = c45::size_of(tree);
  const std::size_t errors = c45::count_errors(tree, table.schema.classes.size(), table.cases);
  return {{"leaves", size.leaves},
          {"nodes", size.nodes},
          {"errors", errors},
          {"error_rate", static_cast<double>(errors) / static_cast<double>(table.cases.size())}};
}

Json statistics_of(const c45::Trial& trial, const C45Table& table) {
  const c45::TreeSize size = c45::size_of(trial.pruned);
  const c45::Node& root = trial.pruned.nodes[0];
  Json after = before_or_after(trial.pruned, table);
  after["predicted_error_rate"] = root.errors / root.items;
  return {{"leaves", size.leaves},
          {"nodes", size.nodes},
          {"max_depth", size.max_depth},
          {"mean_depth", size.mean_depth},
          {"before_pruning", before_or_after(trial.grown, table)},
          {"after_pruning", after}};
}

}  // namespace

C45Model::C45Model(ModelOrigin origin, const C45Table& table, const C45Options& options)
    : C45Based(std::move(origin), table, options) {
  c45::Training training = train(table, options);
  set_statistics(statistics_of(training.trials[0], table));
  tree_ = std::move(training.trials[0].pruned);
}

void C45Model::validate_tree() const {
  if (tree_.nodes.empty()) throw Error("'nodes' is empty");
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const c45::Node& node = tree_.nodes[i];
    const std::string where = fmt::format("node {}", i);
    check_method(where, node.label);
    if (node.is_leaf()) continue;
    check_test(where, node.attribute, node.test == c45::TestKind::kThreshold, "test");
    const std::size_t branches =
        node.test == c45::TestKind::kValues ? origin().collectives.size() : 2;
    if (node.count < branches && node.test != c45::TestKind::kGroups) {
      throw Error(fmt::format("{}: {} branches, expected {}", where, node.count, branches));
    }
    for (const std::uint32_t child : tree_.branches(node)) {
      if (child <= i || child >= tree_.nodes.size()) {
        throw Error(fmt::format("{}: branch to node {}", where, child));
      }
    }
  }
}

namespace {

// The branch of a test on the collective; kNoBranch when the tree has none for it.
std::uint32_t collective_branch(const c45::Tree& tree, const c45::Node& node, std::size_t value) {
  if (node.test == c45::TestKind::kValues) return static_cast<std::uint32_t>(value);
  const std::uint32_t branch = tree.group_of[node.groups + value];
  return branch < node.count ? branch : c45::kNoBranch;
}

}  // namespace

Method C45Model::decide(const Instance& instance) const {
  const std::size_t collective = index_of(instance.collective);
  std::uint32_t at = 0;
  while (!tree_.nodes[at].is_leaf()) {
    const c45::Node& node = tree_.nodes[at];
    const C45Feature feature = features()[node.attribute];
    const std::uint32_t branch = feature == C45Feature::kCollective
                                     ? collective_branch(tree_, node, collective)
                                 : feature_value(feature, instance) <= node.cut ? 0
                                                                                : 1;
    if (branch == c45::kNoBranch) break;
    at = tree_.branches(node)[branch];
  }
  return methods()[tree_.nodes[at].label];
}

RuleTree C45Model::lower() const {
  RuleTree result{.methods = methods()};
  struct Open {
    std::uint32_t node;                      // of this tree
    std::uint32_t parent = RuleNode::kLeaf;  // of the result
    bool high = false;
  };
  for (std::size_t c = 0; c < origin().collectives.size(); ++c) {
    result.roots.push_back(
        {origin().collectives[c], static_cast<std::uint32_t>(result.nodes.size())});
    std::vector<Open> open = {{0}};
    while (!open.empty()) {
      Open one = open.back();
      open.pop_back();
      const c45::Node& node = tree_.nodes[one.node];
      const auto branches = tree_.branches(node);
      std::uint32_t index = RuleNode::kLeaf;
      if (node.is_leaf()) {
        index = append_leaf(result, static_cast<std::uint16_t>(node.label));
      } else if (features()[node.attribute] == C45Feature::kCollective) {
        const std::uint32_t branch = collective_branch(tree_, node, c);
        if (branch != c45::kNoBranch) {
          open.push_back({branches[branch], one.parent, one.high});
          continue;
        }
        index = append_leaf(result, static_cast<std::uint16_t>(node.label));
      } else if (const auto test = integer_test(features()[node.attribute], node.cut)) {
        index = append_test(result, test->attribute, test->threshold);
        open.push_back({branches[1], index, true});
        open.push_back({branches[0], index, false});
      } else {
        open.push_back({branches[1], one.parent, one.high});
        continue;
      }
      if (one.parent == RuleNode::kLeaf) continue;
      (one.high ? result.nodes[one.parent].high : result.nodes[one.parent].low) = index;
    }
  }
  return result;
}

std::string C45Model::text() const { return c45::tree_text(tree_, schema()); }

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

const Kind kC45Kind = c45_kind<C45Model>("c45", "C4.5 tree of the 2006 paper");

}  // namespace colltree
