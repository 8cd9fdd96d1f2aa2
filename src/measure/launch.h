// SPDX-License-Identifier: BSD-3-Clause
// What stands on the command line of a measuring job: the launcher's words and the settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_algorithms.h"
#include "measure/plan.h"

namespace colltree {

// Words of a command line as a shell would split them (quotes and backslash). Throws UsageError.
// `option`: who is blamed.
std::vector<std::string> split_command(const std::string& text,
                                       std::string_view option = "--launcher");

// Each {ranks} in the words replaced.
std::vector<std::string> with_ranks(const std::vector<std::string>& words, std::uint64_t ranks);

// What a job that measures the library's own algorithm must have in its environment when it starts,
// "NAME=VALUE".
std::vector<std::string> start_settings(Library library, const PlanCell& cell);

}  // namespace colltree
