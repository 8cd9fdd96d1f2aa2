// SPDX-License-Identifier: BSD-3-Clause
// Imports the results of a kit into a profile, as if `colltree measure` had measured it: the same
// system, the same cells. A run of a kit is one campaign, whose options say "driver": "kit".
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "profile/import.h"

namespace colltree::kit {

// Decides by the first line, plain or gzip; only a regular file is looked into.
bool is_kit_results(const std::filesystem::path& file);

// Imports the whole file or nothing. The same file again, or a longer one of the same run, adds the
// new cells. `system` is the name for the system. Throws ParseError or Error.
profile::ImportReport import_kit_results(profile::Profile& into, const profile::CsvLines& lines,
                                         const std::string& file,
                                         const std::optional<std::string>& system);

}  // namespace colltree::kit
