// SPDX-License-Identifier: BSD-3-Clause
// What stands in for a rule that cannot or must not be written.
#pragma once

#include <functional>

#include "emit/rules/rule_target.h"
#include "timings/timings.h"

namespace colltree {

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
