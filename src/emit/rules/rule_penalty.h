// SPDX-License-Identifier: BSD-3-Clause
// What rules lose on measured instances, in the model's words and as a target's file, and what
// stands in for rules that must go.
#pragma once

#include <functional>
#include <vector>

#include "emit/rules/rule_target.h"
#include "timings/timings.h"

namespace colltree {

// Mean performance penalty (fraction) over the instances of all timings whose collective has rules;
// instances where the chosen method has no time are counted in `without_time`.
struct RulePenalty {
  double mean = 0;
  std::size_t instances = 0;
  std::size_t without_time = 0;
};
// The model itself.
RulePenalty model_penalty(const RuleTree& tree, const RuleSet& rules,
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

// What stands in for a rule that cannot or must not be written.
using Allowed = std::function<bool(const Rule& rule)>;

// With timings: of the methods that the target can express and that are allowed, and the library's
// own choice, the one with the least mean penalty over the instances that the rule holds; it must
// have a time at each. Otherwise the same algorithm without segments where that is allowed, or else
// the library's own choice.
Method replacement(const RuleTarget& target, const Rule& rule, const Timings* timings,
                   Collective collective, const Allowed& allowed);

// Makes each row of communicator sizes one rule for all message sizes, by the same rule; without
// timings the method that holds most powers of two up to 16 MB.
void join_sizes(const RuleTarget& target, CollectiveRules& rules, const Timings* timings,
                const Allowed& allowed);

bool has_several_sizes(const CollectiveRules& rules);

}  // namespace colltree
