// SPDX-License-Identifier: BSD-3-Clause
// Which calls show whether a library does what rules say.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "emit/rules/rule_target.h"

namespace colltree {

// Message sizes just below and at the rule's first key, on so many ranks.
std::vector<std::uint64_t> around(SizeKey key, std::uint64_t least, std::uint64_t ranks);

// Where an interval begins and where what follows it does; in a chain of "up to N" only the latter
// tells.
void add_ends(const Span& span, std::set<std::uint64_t>& begins);

// The keys at which the rules may switch on so many ranks.
std::set<std::uint64_t> message_begins(const CollectiveRules& one, std::uint64_t ranks);

// In each row of communicator sizes every threshold of any of its rules, guarded or not, stays;
// neighbours get different ones of `markers`.
std::vector<Rule> marked_rules(const CollectiveRules& one, const std::vector<Method>& markers);

}  // namespace colltree
