// SPDX-License-Identifier: BSD-3-Clause
// When the library's own choice is kept. `tune`, its verification, the rules that are written and
// the report ask here, so that they agree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evaluate/sessions.h"
#include "profile/profile.h"
#include "timings/penalty.h"

namespace colltree::evaluate {

// Everything is left to the library where most cells of the system were disturbed: the others were
// disturbed too, by other programs or because ranks shared cores. Returns the reason for a person;
// "" where the times decide.
std::string why_undecided(const profile::Profile& profile, const std::string& system);

// True if another method than the library's own choice is taken at a measured instance.
bool is_deployed(const Chooser& choose, const Timings& timings);

// A measured gain is worth leaving the library's own choice if it is above 1 with 95 % confidence.
inline bool is_proven(const Gain& gain) { return gain.interval.low > 1; }

// Before a measurement beside the library the penalties at the same points decide: a choice that
// loses as much is no reason to leave the library's own.
inline bool is_default_as_good(double default_penalty, double penalty) {
  return default_penalty <= penalty;
}

// What is to be done with a choice that is not verified yet: "simulated" times are no reason to
// deploy anything and "disturbed" ones neither, "keep" stands for the library's own choice, and
// otherwise it is "deploy". A penalty that is not known decides nothing.
std::string_view advice(const Chooser& choose, const Timings& timings, bool is_undecided,
                        std::optional<double> default_penalty, std::optional<double> held_out);

}  // namespace colltree::evaluate
