// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/c45/rules/make_rules.h"

namespace colltree::c45 {

namespace {

Condition condition_of(const Tree& tree, std::uint32_t index, std::uint32_t branch,
                       std::size_t tree_number) {
  const Node& node = tree.nodes[index];
  Condition condition{.attribute = node.attribute};
  switch (node.test) {
    case TestKind::kThreshold:
      condition.kind = ConditionKind::kThreshold;
      condition.cut = node.cut;
      condition.above = branch == 1;
      break;
    case TestKind::kValues:
      condition.kind = ConditionKind::kValue;
      condition.value = branch + 1;
      break;
    case TestKind::kGroups:
      condition.kind = ConditionKind::kGroup;
      condition.values = group_values(tree, node, branch);
      condition.test = (static_cast<std::uint64_t>(tree_number) << 48U) |
                       (static_cast<std::uint64_t>(index) << 16U) | branch;
      break;
    case TestKind::kLeaf:
      break;
  }
  return condition;
}

}  // namespace

std::vector<Rule> path_rules(const Tree& tree, std::size_t tree_number) {
  std::vector<Rule> rules;
  struct Step {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<Step> path = {{0, 0}};
  std::vector<Condition> conditions;
  while (!path.empty()) {
    Step& step = path.back();
    const Node& node = tree.nodes[step.node];
    if (node.is_leaf() && node.items >= 1) {
      rules.push_back({.label = node.label, .conditions = conditions});
    }
    if (node.is_leaf() || step.next == node.count) {
      path.pop_back();
      if (!conditions.empty()) conditions.pop_back();
      continue;
    }
    const std::uint32_t branch = step.next++;
    conditions.push_back(condition_of(tree, step.node, branch, tree_number));
    path.push_back({tree.branches(node)[branch], 0});
  }
  return rules;
}

namespace {

bool same(const Condition& a, const Condition& b, bool strict_r8) {
  if (a.kind != b.kind || a.attribute != b.attribute) return false;
  switch (a.kind) {
    case ConditionKind::kValue:
      return a.value == b.value;
    case ConditionKind::kThreshold:
      return a.cut == b.cut && (strict_r8 || a.above == b.above);
    case ConditionKind::kGroup:
      return strict_r8 ? a.test == b.test : a.values == b.values;
  }
  return false;
}

bool same(const Rule& a, const Rule& b, bool strict_r8) {
  if (a.label != b.label || a.conditions.size() != b.conditions.size()) return false;
  return std::ranges::all_of(a.conditions, [&](const Condition& one) {
    return std::ranges::any_of(b.conditions,
                               [&](const Condition& other) { return same(one, other, strict_r8); });
  });
}

}  // namespace

void add_rule(std::vector<Rule>& rules, Rule rule, bool strict_r8) {
  for (Rule& known : rules) {
    if (!same(known, rule, strict_r8)) continue;
    known.error = std::max(known.error, rule.error);
    return;
  }
  rule.number = static_cast<std::uint32_t>(rules.size()) + 1;
  rules.push_back(std::move(rule));
}

}  // namespace colltree::c45
