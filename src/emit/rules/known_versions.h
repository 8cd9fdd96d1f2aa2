// SPDX-License-Identifier: BSD-3-Clause
// Which versions of a library a format of rules is known for, and what a file says of itself.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace colltree {

struct KnownVersions {
  const char* library;  // "Open MPI"; "" = the format is ours
  const char* first;    // "4.1"; "" = no version is known to begin it
  const char* last;     // all that begin alike belong to it: "5.0" holds 5.0.9
  const char* seen;     // what was run, or what was read instead
};

// "Open MPI 4.1 to 5.0.6 (run: 4.1.4)"
std::string text(const KnownVersions& known);

// "5.0.8rc1" -> 5, 0, 8.
std::array<int, 3> version_numbers(std::string_view text);

// Whether the version is newer than the last known; false where none is known to be the last.
bool is_newer(const KnownVersions& known, std::string_view version);

// The version of the library that a comment line of a file says it is for: "# For openmpi-4.1; ..."
// and "# rules for Open MPI 5.0.7" say one; "" = it says none.
struct StatedVersion {
  std::size_t line = 0;
  std::string version;
};
StatedVersion stated_version(const KnownVersions& known, std::string_view content);

}  // namespace colltree
