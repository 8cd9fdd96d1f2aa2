// SPDX-License-Identifier: BSD-3-Clause
// What the installed MPI library says of its algorithms, beside the table we ship.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "coll/library_algorithms.h"

namespace colltree {

// Numbers and names of the algorithms of each collective. Empty: the library does not tell (MPICH).
using LibrarySurvey = std::map<Collective, std::map<int, std::string>>;

// Asks a measuring program (`PROGRAM --methods`); works without a launcher. Throws Error.
LibrarySurvey survey_library(const std::filesystem::path& program);
LibrarySurvey parse_survey(const std::string& text);

// One line for each algorithm that the library has and the table has not (it is not measured) or
// that has another number. Number 0 is the library's own choice.
std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey);

}  // namespace colltree
