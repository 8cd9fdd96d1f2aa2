// SPDX-License-Identifier: BSD-3-Clause
// The steps from trees to rules (reference/c45-release8.md, section 12): path_rules.cpp makes a
// rule of each path and prunes it, subset.cpp chooses among the rules of a class, rules.cpp puts
// them in order and evaluates them.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "colltree/c45.hpp"
#include "engine/arithmetic.h"

namespace colltree::c45 {

// An unknown value satisfies no condition.
inline bool satisfies(const Condition& condition, const Cases& cases, std::uint32_t id) {
  if (condition.kind == ConditionKind::kThreshold) {
    const float value = cases.numbers[condition.attribute][id];
    return value != kUnknownNumber && (value > condition.cut) == condition.above;
  }
  const std::uint32_t value = cases.values[condition.attribute][id];
  if (value == kUnknownValue) return false;
  if (condition.kind == ConditionKind::kValue) return value == condition.value;
  return std::ranges::binary_search(condition.values, value);
}

inline bool covers(const Rule& rule, const Cases& cases, std::uint32_t id) {
  return std::ranges::all_of(
      rule.conditions, [&](const Condition& condition) { return satisfies(condition, cases, id); });
}

// One rule for each leaf that cases reach, in the order of the branches. `tree_number` keeps the
// grouped tests of several trees apart.
std::vector<Rule> path_rules(const Tree& tree, std::size_t tree_number);

// Drops conditions greedily while the pessimistic error rate does not rise, over all cases; sets
// the error rate and sorts the conditions. False when nothing worth keeping is left.
// O(cases x conditions) for each condition dropped.
class RulePruner {
 public:
  RulePruner(const Schema& schema, const Cases& cases, const RuleOptions& options);
  bool prune(Rule& rule) const;

 private:
  const Cases& cases_;
  Pessimistic pessimistic_;
  std::optional<float> fisher_percent_;
  std::vector<float> default_error_;  // by class
};

// Adds a rule with the next number, unless the same one is there: then only the larger error is
// kept. Release 8 compares cuts but not directions; `strict_r8` keeps that defect.
void add_rule(std::vector<Rule>& rules, Rule rule, bool strict_r8);

// Code lengths in bits.
class CodeLengths {
 public:
  CodeLengths(const Schema& schema, const Cases& cases, float redundancy);
  float of(const Rule& rule) const;

 private:
  float attribute_bits_ = 0;
  std::vector<float> branch_bits_;   // by attribute
  std::vector<std::size_t> values_;  // by attribute
};

// What a rule covers, for all rules at once: bit i of [rule] is case i.
using Coverage = std::vector<std::vector<bool>>;
Coverage coverage_of(std::span<const Rule> rules, const Cases& cases);

// For one class, which of its rules (indices) describe the cases in the fewest bits: of up to 10
// all subsets are tried, of more hills are climbed from 11 random ones, as in release 8.
std::vector<std::size_t> best_subset(const std::vector<std::size_t>& candidates,
                                     std::span<const Rule> rules, const Coverage& coverage,
                                     const Cases& cases, std::uint32_t label, Random& random);

struct RuleUse {
  std::uint32_t used = 0;    // cases it decides
  std::uint32_t wrong = 0;   // of these
  std::uint32_t better = 0;  // right, where the next rule that fires would not be
  std::uint32_t worse = 0;   // wrong, where that one would be right
};
struct RuleEvaluation {
  std::vector<RuleUse> rules;
  std::size_t errors = 0;
  std::vector<std::uint32_t> answers;  // by case
};
RuleEvaluation evaluate_rules(const RuleSet& set, const Cases& cases);
// The first rule that does more harm than good.
std::optional<std::size_t> harmful_rule(const RuleEvaluation& evaluation);

}  // namespace colltree::c45
