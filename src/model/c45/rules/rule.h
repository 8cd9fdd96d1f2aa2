// SPDX-License-Identifier: BSD-3-Clause
// Production rules as c4.5rules makes them from unpruned trees (reference/c45-release8.md,
// section 12): one rule for each leaf, its conditions pruned, the best subset for each class, the
// classes in order, a default class.
#pragma once

#include <cstdint>
#include <vector>

#include "model/c45/tree.h"

namespace colltree::c45 {

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
bool satisfies(const Condition& condition, const Cases& cases, std::uint32_t id);

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

}  // namespace colltree::c45
