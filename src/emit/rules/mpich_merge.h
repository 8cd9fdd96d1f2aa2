// SPDX-License-Identifier: BSD-3-Clause
// Our rules inside a selection file that a site already has.
#pragma once

#include <string>
#include <string_view>

#include "emit/rules/rule_target.h"

namespace colltree {

// The site's file with the subtrees of these collectives in place of its own; every other byte
// stays. Where the site tells intercommunicators apart its branch for them stays too. A collective
// that the site's file lacks is added at its end. Throws JsonError (base/json.h).
std::string merge_mpich_json(const RuleTarget& target, const RuleSet& rules, std::string_view site);

}  // namespace colltree
