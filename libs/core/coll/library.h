// SPDX-License-Identifier: BSD-3-Clause
// The MPI libraries whose own algorithms are measured and ruled: one row each in libraries.def,
// with what their versions and launchers print and how their jobs are started.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

enum class Library : std::uint8_t { kOpenmpi, kMpich, kIntel };

// How its launcher hands NAME=VALUE to the ranks, on other nodes too.
enum class HandOver : std::uint8_t {
  kEachProgram,  // -x NAME=VALUE, before each program of a job
  kAllPrograms,  // -genv NAME VALUE, once
};

struct LibraryInfo {
  Library library;
  std::string_view name;      // of its measuring program, of --source, in "openmpi-4.1.4"
  std::string_view version;   // what MPI_Get_library_version says before the number
  std::string_view launcher;  // what one line of `LAUNCHER --version` holds; '|' between two
  HandOver hand_over;
  int first_version;  // that is known: 41 is 4.1
  // A job loads rules by these variables, blank between two; "NAME_*": whatever begins so.
  std::string_view rules_variables;
  std::string_view start;   // NAME=VALUE of every job that measures its algorithms
  bool numbers_are_stable;  // an algorithm has one number in all versions
};

std::span<const LibraryInfo> libraries();
const LibraryInfo& library_info(Library library);
inline std::string_view name(Library library) { return library_info(library).name; }

// Finds a library by its name; throws UsageError.
Library parse_library(std::string_view text);
// "openmpi, mpich or intel", with `last` before the last name.
std::string library_names(std::string_view last = " or ");
// Their names behind `first`, for options that take one of these.
std::vector<std::string> with_libraries(std::vector<std::string> first);

// The library that says this of itself, by MPI_Get_library_version or `LAUNCHER --version`.
const LibraryInfo* library_of_version(std::string_view said);
const LibraryInfo* library_of_launcher(std::string_view said);

// The variables in this process's environment by which a library would load rules, as NAME=VALUE.
std::vector<std::string> rules_in_environment();

}  // namespace colltree
