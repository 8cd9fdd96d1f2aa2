// SPDX-License-Identifier: BSD-3-Clause
// Which calls show whether a library does what rules say.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::deploy {

// Message sizes just below and at the rule's first key, on `ranks` ranks.
std::vector<std::uint64_t> around(rules::SizeKey key, std::uint64_t least, std::uint64_t ranks);

// The keys at which the rules may switch on `ranks` ranks.
std::set<std::uint64_t> message_begins(const rules::CollectiveRules& one, std::uint64_t ranks);

// Whether the rules have a threshold of communicator size between the two.
bool switches_between(const rules::CollectiveRules& one, std::uint64_t fewer, std::uint64_t more);

// In each row of communicator sizes every threshold of any of its rules, guarded or not, stays;
// neighbours get different ones of `markers`, and so do the shortest messages of rows that hold
// neighbours among `communicator_sizes`.
std::vector<rules::Rule> marked_rules(const rules::CollectiveRules& one,
                                      const std::vector<Method>& markers,
                                      const std::vector<std::uint64_t>& communicator_sizes);

}  // namespace colltree::deploy
