// SPDX-License-Identifier: BSD-3-Clause
// What `colltree --version` says behind the program's name: what a report of a fault has to name.
#pragma once

#include <string>

namespace colltree {

// "1.0.0", then a line each: the commit, the formats that are written, the MPI libraries that are
// measured. Looks for the measuring programs beside this one.
std::string version_text();

}  // namespace colltree
