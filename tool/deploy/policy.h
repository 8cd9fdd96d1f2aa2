// SPDX-License-Identifier: BSD-3-Clause
// When the library's own choice is kept. The steps of `tune` ask here, so that its files, its
// verdict and its verification agree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "deploy/beyond.h"
#include "evaluate/sessions.h"
#include "model/rule_tree.h"
#include "profile/profile.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

// Everything is left to the library where most cells of the system were disturbed: the others were
// disturbed too, by other programs or because ranks shared cores. Returns the reason for a person;
// "" where the times decide.
std::string why_undecided(const profile::Profile& profile, const std::string& system);

// True where the library's rules leave no part of a collective to it (Intel MPI). Then models are
// fitted without its own choice, and a whole collective is kept or nothing of it. No target stands
// for our own runtime library, which leaves parts.
bool is_all_or_none(const rules::RuleTarget* target);

// Jobs on more ranks than were measured run as without colltree, unless the rules cannot leave them
// to the library or nothing real can be harmed because the times are simulated.
Beyond usual_beyond(const Timings& timings, const rules::RuleTarget* target);

// True if the tree takes another method than the library's own choice at a measured instance.
bool is_deployed(const model::RuleTree& tree, const Timings& timings);

// A measured gain is worth leaving the library's own choice if it is above 1 with 95 % confidence.
inline bool is_proven(const evaluate::Gain& gain) { return gain.interval.low > 1; }

}  // namespace colltree::deploy
