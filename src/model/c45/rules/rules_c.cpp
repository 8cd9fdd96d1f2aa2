// SPDX-License-Identifier: BSD-3-Clause
// A rule set as a C function: one if for each rule, in order.
#include <fmt/format.h>

#include "model/c45/rules/make_rules.h"
#include "model/c45/text.h"

namespace colltree::c45 {

namespace {

std::string condition_c(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  const std::string name = identifier(attribute.name);
  switch (condition.kind) {
    case ConditionKind::kThreshold: {
      // The reader's mark for an unknown number meets no condition.
      const std::string test =
          fmt::format("{} {} {}", name, condition.above ? ">" : "<=", c_float(condition.cut));
      return condition.above && condition.cut >= kUnknownNumber
                 ? test
                 : fmt::format("{} != {} && {}", name, c_float(kUnknownNumber), test);
    }
    case ConditionKind::kValue:
      return fmt::format("{} == {}", name, condition.value);
    case ConditionKind::kGroup:
      break;
  }
  std::string any;
  for (const std::uint32_t v : condition.values) {
    any += fmt::format("{}{} == {}", any.empty() ? "" : " || ", name, v);
  }
  return condition.values.size() == 1 ? any : "(" + any + ")";
}

}  // namespace

std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function) {
  std::string out = c_classes_and_signature(schema, function) + " {\n";
  for (const Rule& rule : set.rules) {
    if (rule.error > kMostError) continue;
    std::string all;
    for (const Condition& condition : rule.conditions) {
      all += fmt::format("{}{}", all.empty() ? "" : " && ", condition_c(condition, schema));
    }
    out += fmt::format("  if ({}) return {};\n", all, rule.label);
  }
  return out + fmt::format("  return {};\n}}\n", set.default_label);
}

}  // namespace colltree::c45
