// SPDX-License-Identifier: BSD-3-Clause
// The part of a selection file of MPICH for one collective, and the reader of such files.
#pragma once

#include "base/json.h"
#include "rules/rule_target.h"

namespace colltree::rules {

// The subtree behind "collective=X": the rules for intracommunicators, each algorithm behind guards
// for what it needs, and the stock rows for intercommunicators. `rules` holds at least one, in the
// target's keys.
Json mpich_collective(const RuleTarget& target, const CollectiveRules& rules);
// The part of the device's file for intracommunicators: the calls that are handed down to those
// rules.
Json mpich_device_intra(const RuleTarget& target, const CollectiveRules& rules);

// Implements RuleTarget::read.
RuleFile read_mpich_json(const RuleTarget& target, std::string_view content);
// Returns the rules of a file that is known to be right.
RuleSet mpich_rules(const RuleTarget& target, const Json& file);

}  // namespace colltree::rules
