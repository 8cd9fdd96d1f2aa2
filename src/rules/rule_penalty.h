// SPDX-License-Identifier: BSD-3-Clause
// The penalty of rules on measured instances, in the model's words and as a target's file, and what
// stands in for rules that must go.
#pragma once

#include <functional>
#include <vector>

#include "rules/rule_target.h"
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
// The model itself.
RulePenalty model_penalty(const model::RuleTree& tree, const RuleSet& rules,
                          const std::vector<Timings>& timings);
// Rules whose methods are the model's, and rules whose methods are the target's.
RulePenalty plain_penalty(const RuleSet& rules, const std::vector<Timings>& timings);
RulePenalty rule_penalty(const RuleTarget& target, const RuleSet& rules,
                         const std::vector<Timings>& timings);
// The same for a file, asked in its own keys.
RulePenalty file_penalty(const RuleTarget& target, const RuleSet& keyed,
                         const std::vector<Timings>& timings);

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
  // A call that one of them leaves to the library may be slower under the method of another.
  bool replace_default = false;
  const Timings* timings = nullptr;
  Allowed allowed;
};

// Makes each row of communicator sizes one rule for all message sizes: the library's own choice
// where a rule of the row leaves calls to it, or else by the same rule as a replacement; without
// timings the method that holds most powers of two up to 16 MB.
void join_sizes(const RuleTarget& target, CollectiveRules& rules, const Joining& joining);

// The row for all communicator sizes; what another row leaves to the library is left to it.
RuleRow with_defaults_of(const std::vector<RuleRow>& rows, const RuleRow& row);

bool has_several_sizes(const CollectiveRules& rules);
bool leaves_some(const CollectiveRules& rules);  // calls to the library

}  // namespace colltree::rules
