// SPDX-License-Identifier: BSD-3-Clause
// What the installed MPI library says of itself: its version, and its algorithms beside the table
// we ship.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "coll/library_algorithms.h"

namespace colltree {

// What MPI_Get_library_version says in this measuring program (`PROGRAM --library`): it works
// without a launcher. Throws Error.
std::string library_version(const std::filesystem::path& program);

// "Open MPI v4.1.4, package: ..." -> "openmpi-4.1.4"; unknown libraries keep their text.
std::string short_library_name(const std::string& version_text);

// Names (as told_name has them) and numbers of the algorithms of each collective. Empty: the
// library does not tell.
using LibrarySurvey = std::map<Collective, std::map<std::string, int>>;

// Asks a measuring program (`PROGRAM --methods`); works without a launcher. Throws Error.
LibrarySurvey survey_library(const std::filesystem::path& program);
LibrarySurvey parse_survey(const std::string& text);

// One line for each algorithm that the library has and the table has not (it is not measured); Open
// MPI: also for each other number. Choices of the library's own are left out.
std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey);

}  // namespace colltree
