// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/rules/rule.h"

#include <algorithm>

namespace colltree::c45 {

bool satisfies(const Condition& condition, const Cases& cases, std::uint32_t id) {
  if (condition.kind == ConditionKind::kThreshold) {
    const float value = cases.numbers[condition.attribute][id];
    return value != kUnknownNumber && (value > condition.cut) == condition.above;
  }
  const std::uint32_t value = cases.values[condition.attribute][id];
  if (value == kUnknownValue) return false;
  if (condition.kind == ConditionKind::kValue) return value == condition.value;
  return std::ranges::binary_search(condition.values, value);
}

bool covers(const Rule& rule, const Cases& cases, std::uint32_t id) {
  return std::ranges::all_of(
      rule.conditions, [&](const Condition& condition) { return satisfies(condition, cases, id); });
}

std::uint32_t classify(const RuleSet& set, const Cases& cases, std::uint32_t id) {
  for (const Rule& rule : set.rules) {
    if (rule.error <= kMostError && covers(rule, cases, id)) return rule.label;
  }
  return set.default_label;
}

}  // namespace colltree::c45
