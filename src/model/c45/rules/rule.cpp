// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/rules/rule.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/c45/tree.h"

// A rule set as text, line for line as c4.5rules prints it.

namespace colltree::c45 {

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

namespace {

bool fires(const Rule& rule, const Cases& cases, std::uint32_t id) {
  return rule.error <= kMostError && covers(rule, cases, id);
}

// What would be said without rule `first`.
std::uint32_t alternative(const RuleSet& set, std::size_t first, const Cases& cases,
                          std::uint32_t id) {
  for (std::size_t r = first + 1; r < set.rules.size(); ++r) {
    if (fires(set.rules[r], cases, id)) return set.rules[r].label;
  }
  return set.default_label;
}

}  // namespace

RuleEvaluation evaluate_rules(const RuleSet& set, const Cases& cases) {
  RuleEvaluation evaluation;
  evaluation.rules.resize(set.rules.size());
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    std::size_t r = 0;
    while (r < set.rules.size() && !fires(set.rules[r], cases, id)) ++r;
    const bool decided = r < set.rules.size();
    const std::uint32_t answer = decided ? set.rules[r].label : set.default_label;
    const bool wrong = answer != cases.label[id];
    evaluation.answers.push_back(answer);
    evaluation.errors += wrong;
    if (!decided) continue;
    RuleUse& use = evaluation.rules[r];
    ++use.used;
    use.wrong += wrong;
    const bool other_right = alternative(set, r, cases, id) == cases.label[id];
    use.better += !wrong && !other_right;
    use.worse += wrong && other_right;
  }
  return evaluation;
}

std::optional<std::size_t> harmful_rule(const RuleEvaluation& evaluation) {
  const auto found = std::ranges::find_if(
      evaluation.rules, [](const RuleUse& use) { return use.worse > use.better; });
  if (found == evaluation.rules.end()) return std::nullopt;
  return static_cast<std::size_t>(found - evaluation.rules.begin());
}

RuleEvaluation drop_harmful_rules(RuleSet& set, const Cases& cases) {
  for (;;) {
    RuleEvaluation evaluation = evaluate_rules(set, cases);
    const std::optional<std::size_t> harmful = harmful_rule(evaluation);
    if (!harmful) return evaluation;
    set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(*harmful));
  }
}

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
