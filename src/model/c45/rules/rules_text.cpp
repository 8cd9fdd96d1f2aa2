// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/rules/rules_text.h"

// A rule set as text, line for line as c4.5rules prints it.
#include <fmt/format.h>

#include "model/c45/text.h"

namespace colltree::c45 {

namespace {

std::string condition_text(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  switch (condition.kind) {
    case ConditionKind::kThreshold:
      return fmt::format("{} {} {:g}", attribute.name, condition.above ? ">" : "<=", condition.cut);
    case ConditionKind::kValue:
      return fmt::format("{} = {}", attribute.name, attribute.values[condition.value - 1]);
    case ConditionKind::kGroup:
      break;
  }
  if (condition.values.size() == 1) {
    return fmt::format("{} = {}", attribute.name, attribute.values[condition.values[0] - 1]);
  }
  std::string names;
  for (const std::uint32_t v : condition.values) {
    if (!names.empty()) names += ", ";
    names += attribute.values[v - 1];
  }
  return fmt::format("{} in {{{}}}", attribute.name, names);
}

}  // namespace

std::string rule_text(const Rule& rule, const Schema& schema) {
  std::string out = fmt::format("Rule {}:\n", rule.number);
  for (const Condition& condition : rule.conditions) {
    out += fmt::format("    \t{}\n", condition_text(condition, schema));
  }
  return out + fmt::format("\t->  class {}  [{:.1f}%]\n", schema.classes[rule.label],
                           100 * (1 - rule.error));
}

std::string rules_text(const RuleSet& set, const Schema& schema) {
  std::string out;
  for (const Rule& rule : set.rules) out += rule_text(rule, schema) + "\n";
  return out + fmt::format("Default class: {}\n", schema.classes[set.default_label]);
}

}  // namespace colltree::c45
