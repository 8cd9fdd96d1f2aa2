// SPDX-License-Identifier: BSD-3-Clause
// Older schemas become the newest when a profile is opened for writing.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace colltree {

// In one transaction; the profile was verified. Does nothing when another process was faster.
void upgrade(SQLite::Database& database, const std::filesystem::path& path);

}  // namespace colltree
