// SPDX-License-Identifier: BSD-3-Clause
// Both sources of a machine, from one profile (evaluate/source_gain.h).
#pragma once

#include <optional>
#include <string>

#include "cli/profile_options.h"
#include "evaluate/source_gain.h"

namespace colltree {

// Of a profile that holds both and nothing else the portable system is meant when none is said.
void take_portable_of_pair(ProfileOptions& options);

// What the system and its pair have in common, read as `options` say; none: no pair.
std::optional<SourceGains> load_source_gains(const ProfileOptions& options,
                                             const std::string& system);

}  // namespace colltree
