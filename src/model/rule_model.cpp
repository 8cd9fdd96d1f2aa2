// SPDX-License-Identifier: BSD-3-Clause
#include "model/rule_model.h"

#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"

namespace colltree {

namespace {

Json node_to_json(const RuleNode& node) {
  if (node.is_leaf()) return Json::array({node.method});
  return Json::array({name(node.attribute), node.threshold, node.low, node.high});
}

RuleNode node_from_json(const Json& value) {
  const bool leaf = value.is_array() && value.size() == 1;
  if (leaf) {
    return {.method = static_cast<std::uint16_t>(json_unsigned_value(value[0], "nodes", 0xFFFF))};
  }
  if (!value.is_array() || value.size() != 4 || !value[0].is_string()) {
    throw Error("'nodes' must hold [attribute, threshold, low, high] or [method], not " +
                value.dump());
  }
  constexpr std::uint64_t kMost = RuleNode::kLeaf - 1;
  return {.attribute = parse_attribute(value[0].get<std::string>()),
          .threshold = json_unsigned_value(value[1], "threshold"),
          .low = static_cast<std::uint32_t>(json_unsigned_value(value[2], "low", kMost)),
          .high = static_cast<std::uint32_t>(json_unsigned_value(value[3], "high", kMost))};
}

}  // namespace

Json rule_tree_to_json(const RuleTree& tree) {
  Json roots = Json::array();
  for (const RuleTree::Root& root : tree.roots) {
    roots.push_back({{"collective", name(root.collective)}, {"node", root.node}});
  }
  Json nodes = Json::array();
  for (const RuleNode& node : tree.nodes) nodes.push_back(node_to_json(node));
  return {{"roots", roots}, {"nodes", nodes}};
}

RuleTree rule_tree_from_json(const Json& body, std::vector<Method> methods) {
  RuleTree tree{.methods = std::move(methods)};
  json_each(body, "roots", [&](const Json& root) {
    tree.roots.push_back(
        {parse_collective(json_string(root, "collective")),
         static_cast<std::uint32_t>(json_unsigned(root, "node", RuleNode::kLeaf - 1))});
  });
  json_each(body, "nodes", [&](const Json& node) { tree.nodes.push_back(node_from_json(node)); });
  validate(tree);
  return tree;
}

RuleModel::RuleModel(ModelOrigin origin, RuleTree tree)
    : origin_(std::move(origin)), tree_(std::move(tree)) {
  validate(tree_);
}

Method RuleModel::decide(const Instance& instance) const {
  return colltree::decide(tree_, instance);
}

Json RuleModel::parameters() const { return Json::object(); }

Json RuleModel::statistics() const {
  Json all = Json::object();
  for (const RuleTree::Root& root : tree_.roots) {
    const TreeShape tree = shape(tree_, root.node);
    all[name(root.collective)] = {{"leaves", tree.leaves},
                                  {"nodes", tree.nodes},
                                  {"min_depth", tree.min_depth},
                                  {"max_depth", tree.max_depth},
                                  {"mean_depth", tree.mean_depth}};
  }
  const TreeShape total = total_shape(tree_);
  all["leaves"] = total.leaves;
  all["nodes"] = total.nodes;
  all["max_depth"] = total.max_depth;
  all["mean_depth"] = total.mean_depth;
  all.update(added_);
  return all;
}

void RuleModel::add_statistic(const std::string& name, Json value) {
  added_[name] = std::move(value);
}

Json RuleModel::body() const { return rule_tree_to_json(tree_); }

namespace {

std::unique_ptr<DecisionFunction> read_rules(StoredModel stored) {
  auto model = std::make_unique<RuleModel>(
      std::move(stored.origin), rule_tree_from_json(stored.body, std::move(stored.methods)));
  for (const auto& [name, value] : stored.statistics.items()) model->add_statistic(name, value);
  return model;
}

}  // namespace

const Kind kRulesKind{.name = "rules", .read = read_rules};

}  // namespace colltree
