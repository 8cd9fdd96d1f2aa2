// SPDX-License-Identifier: BSD-3-Clause
// `colltree compare A.db B.db`: runs side by side (evaluate/side_by_side.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/profile_options.h"

namespace colltree {

// Whether what stands behind the profile are profiles; models are not. Throws UsageError where both
// stand there.
bool are_profiles(const std::vector<std::string>& files);

// `first` and the others, whose system is `on_system` where they hold several.
void compare_runs(const ProfileOptions& first, const std::vector<std::string>& others,
                  const std::optional<std::string>& on_system);

}  // namespace colltree
