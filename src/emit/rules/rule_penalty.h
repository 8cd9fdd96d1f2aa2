// SPDX-License-Identifier: BSD-3-Clause
// What rules lose on measured instances, in the model's words and as a target's file.
#pragma once

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

}  // namespace colltree
