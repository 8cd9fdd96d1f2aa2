// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace colltree {

// What MPI_Get_library_version says in this measuring program (`PROGRAM --library`): it works
// without a launcher. Throws Error.
std::string library_version(const std::filesystem::path& program);

}  // namespace colltree
