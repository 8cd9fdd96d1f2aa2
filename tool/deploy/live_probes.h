// SPDX-License-Identifier: BSD-3-Clause
// The calls that show whether a library obeys a rules file.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::deploy {

// Message sizes just below and at the rule's first key, on `ranks` ranks.
std::vector<std::uint64_t> around(rules::SizeKey key, std::uint64_t least, std::uint64_t ranks);

// The keys at which the rules may switch on `ranks` ranks.
std::set<std::uint64_t> message_begins(const rules::CollectiveRules& collective_rules,
                                       std::uint64_t ranks);

// True if the rules have a threshold of communicator size between the two.
bool switches_between(const rules::CollectiveRules& collective_rules, std::uint64_t fewer,
                      std::uint64_t more);

// A copy of the rules with the same thresholds, of guarded rules too, in which neighbours in a row
// of communicator sizes have different ones of `markers`. The shortest messages of two rows differ
// as well, if they hold neighbours among `communicator_sizes`.
std::vector<rules::Rule> marked_rules(const rules::CollectiveRules& collective_rules,
                                      const std::vector<Method>& markers,
                                      const std::vector<std::uint64_t>& communicator_sizes);

}  // namespace colltree::deploy
