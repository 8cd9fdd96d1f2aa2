// SPDX-License-Identifier: BSD-3-Clause
// Parts of a selection file of MPICH: what it says of one collective, and its reader.
#pragma once

#include "base/json.h"
#include "rules/rule_target.h"

namespace colltree::rules {

// The subtree behind "collective=X": the rules for intracommunicators, each algorithm behind guards
// for what it needs, and the stock rows for intercommunicators. `rules` holds at least one, in the
// target's keys.
Json mpich_collective(const RuleTarget& target, const CollectiveRules& rules);
// The same in the device's selection, for intracommunicators: what is handed down to those rules.
Json mpich_device_intra(const RuleTarget& target, const CollectiveRules& rules);

// Implements RuleTarget::read.
RuleFile read_mpich_json(const RuleTarget& target, std::string_view content);
// The rules of a file without anything that is wrong in it.
RuleSet mpich_rules(const RuleTarget& target, const Json& file);

}  // namespace colltree::rules
