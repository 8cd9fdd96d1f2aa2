// SPDX-License-Identifier: BSD-3-Clause
// Production rules as c4.5rules makes them from unpruned trees (reference/c45-release8.md,
// section 12): one rule for each leaf, its conditions pruned, the best subset for each class, the
// classes in order, a default class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/tree.h"

namespace colltree::c45 {

struct RuleOptions {
  float confidence_percent = 25;        // -c
  std::optional<float> fisher_percent;  // -F: also drop conditions less significant than this
  float redundancy = 1;                 // -r: a larger one makes conditions cheap to describe
  bool strict_r8 = false;               // keep the defect of add_rule
};

enum class ConditionKind : std::uint8_t { kValue = 1, kThreshold = 2, kGroup = 3 };

struct Condition {
  ConditionKind kind = ConditionKind::kThreshold;
  std::uint32_t attribute = 0;
  float cut = 0;
  bool above = false;                 // value > cut, else value <= cut
  std::uint32_t value = 0;            // kValue
  std::vector<std::uint32_t> values;  // kGroup: ascending
  std::uint64_t test = 0;             // kGroup: which test of which tree, for finding duplicates
};

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

struct Rule {
  std::uint32_t number = 0;  // as printed, from 1
  std::uint32_t label = 0;
  float error = 0;  // pessimistic error rate
  float bits = 0;   // code length
  std::vector<Condition> conditions;
};

bool covers(const Rule& rule, const Cases& cases, std::uint32_t id);

// Rules whose error rate is above this never fire.
inline constexpr float kMostError = 0.7F;

struct RuleSet {
  std::vector<Rule> rules;  // in the order they are tried
  std::uint32_t default_label = 0;
};

std::uint32_t classify(const RuleSet& set, const Cases& cases, std::uint32_t id);

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
// Drops such rules, one at a time, evaluating again after each.
RuleEvaluation drop_harmful_rules(RuleSet& set, const Cases& cases);

// Rules for people, as c4.5rules prints them.
std::string rules_text(const RuleSet& set, const Schema& schema);
std::string rule_text(const Rule& rule, const Schema& schema);

// From trees to rule sets: the rules of every path, pruned; the best subset for each class; their
// order and the default class.

struct RulesOfTrees {
  std::vector<RuleSet> sets;  // one for each tree; before harmful rules are dropped
  RuleSet final_set;          // of one tree the same; of several trees the composite set
};

RulesOfTrees make_rules(const std::vector<const Tree*>& trees, const Schema& schema,
                        const Cases& cases, const RuleOptions& options);

}  // namespace colltree::c45
