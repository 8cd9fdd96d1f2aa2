// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace colltree {

// What MPI_Get_library_version says in this measuring program (`PROGRAM --library`): it works
// without a launcher. Throws Error.
std::string library_version(const std::filesystem::path& program);

// "Open MPI v4.1.4, package: ..." -> "openmpi-4.1.4"; unknown libraries keep their text.
std::string short_library_name(const std::string& version_text);

}  // namespace colltree
