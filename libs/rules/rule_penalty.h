// SPDX-License-Identifier: BSD-3-Clause
// Computes the penalty of rules on measured instances, in the model's words and as a target's file,
// and the methods that replace rules that a target cannot have.
#pragma once

#include <functional>
#include <vector>

#include "rules/rule_target.h"
#include "rules/safety.h"
#include "timings/timings.h"

namespace colltree::rules {

// Mean performance penalty (fraction) over the instances of all timings whose collective has rules;
// instances where the chosen method has no time are counted in `without_time`.
struct RulePenalty {
  double mean = 0;
  std::size_t instances = 0;
  std::size_t without_time = 0;
  std::size_t predicted = 0;  // of the instances: the figure rests on a predicted time
};
// The penalty of the model itself.
RulePenalty model_penalty(const model::RuleTree& tree, const RuleSet& rules,
                          const std::vector<Timings>& timings);
// The penalty of rules with the methods of the target, or of the model without one. The rules of a
// file are asked in the target's keys (`unit`).
RulePenalty rule_penalty(const RuleSet& rules, const std::vector<Timings>& timings,
                         const RuleTarget* target = nullptr,
                         RuleUnit unit = RuleUnit::kMessageSize);

// The name under which the timings know the method that the target calls `canonical`.
Method name_in(const RuleTarget& target, const Timings& timings, const Method& canonical);

// Says which methods may replace a rule that cannot or must not be written.
using Allowed = std::function<bool(const Rule& rule)>;

// With timings: of the methods that the target can express and that are allowed, and the library's
// own choice, the one with the least mean penalty over the instances that the rule holds; it must
// have a time at each. Otherwise the same algorithm without segments where that is allowed, or else
// the library's own choice.
Method replacement(const RuleTarget& target, const Rule& rule, const Timings* timings,
                   Collective collective, const Allowed& allowed);

// The settings for joining several rules in one.
struct Joining {
  // Calls that one of the rules leaves to the library may get the method of another, although it
  // can be slower.
  bool replace_default = false;
  const Timings* timings = nullptr;
  Allowed allowed;
};

// Makes each row of communicator sizes one rule for all message sizes: the library's own choice
// where a rule of the row leaves calls to it, or else by the same rule as a replacement; without
// timings the method that holds most powers of two up to 16 MB.
void join_sizes(const RuleTarget& target, CollectiveRules& rules, const Joining& joining);

// Makes the row one for all communicator sizes; calls that another row leaves to the library are
// left to it.
RuleRow with_defaults_of(const std::vector<RuleRow>& rows, const RuleRow& row);

bool has_several_sizes(const CollectiveRules& rules);
bool leaves_some(const CollectiveRules& rules);  // calls to the library

}  // namespace colltree::rules
