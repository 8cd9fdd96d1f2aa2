// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that is installed: how its jobs are started, and what it says of itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_algorithms.h"
#include "protocol/plan.h"

namespace colltree::measure {

// Words of a command line as a shell would split them (quotes and backslash). Throws UsageError.
// `option`: who is blamed.
std::vector<std::string> split_command(const std::string& text,
                                       std::string_view option = "--launcher");

// Each {ranks} in the words replaced.
std::vector<std::string> with_ranks(const std::vector<std::string>& words, std::uint64_t ranks);

// The settings "NAME=VALUE" that must be in the environment when a job starts that measures the
// library's own algorithm.
std::vector<std::string> start_settings(Library library, const protocol::PlanCell& cell);

std::string host_name();  // of this machine, as it calls itself

// The text of MPI_Get_library_version in this measuring program (`PROGRAM --library`): it works
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

// Whole-number control variables that collectives may depend on.
using LibrarySettings = std::map<std::string, int>;
// The layout of a job of the measuring program with --layout. Throws Error.
protocol::JobLayout parse_layout(std::string_view text);  // what is no such line is somebody else's
// Reads lines "NAME VALUE", which are sorted; skips other lines, which are somebody else's.
LibrarySettings parse_settings(std::string_view text);
std::string settings_text(const LibrarySettings& settings);
// "coll_tuned_bcast_algorithm was 0, is 1"; "... was 0, is not there".
std::vector<std::string> changed_settings(const LibrarySettings& then, const LibrarySettings& now);

// True if the library reports the method's algorithm; a library that reports nothing may have any.
bool library_has(Library library, const LibrarySurvey& survey, Collective collective,
                 const Method& method);

// The algorithms that the library has and our table lacks, as they are measured
// (unknown_algorithm).
std::vector<std::string> unknown_algorithms(Library library, Collective collective,
                                            const LibrarySurvey& survey);

// One line for each algorithm that the library has and the table has not; Open
// MPI: also for each other number. Choices of the library's own are left out.
std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey);

}  // namespace colltree::measure
