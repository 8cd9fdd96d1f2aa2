// SPDX-License-Identifier: BSD-3-Clause
// Translates message sizes from the model's unit to the values that a target's file compares, its
// keys.
#pragma once

#include <string>
#include <vector>

#include "rules/rule_target.h"
#include "timings/timings.h"

namespace colltree::rules {

// The rules in the target's keys. Where the key grows with the communicator size (m x p), an
// interval of communicator sizes is cut so that each threshold is exact at the measured
// communicator sizes, at kExactRows others of each collective and up to 64 ranks; within 6 %
// beyond.
inline constexpr std::size_t kExactRows = 512;
RuleSet keyed_rules(const RuleTarget& target, const RuleSet& rules,
                    const std::vector<Timings>* timings, std::vector<std::string>& notes);

}  // namespace colltree::rules
