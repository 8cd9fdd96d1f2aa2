// SPDX-License-Identifier: BSD-3-Clause
// Whether a profile still holds what was written into it.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace colltree {

// Reads the whole file: every value of every row, what each campaign holds against what it counted,
// and SQLite's own structures with the index. Throws Error, one line with file, place and remedy.
// 30,000 cells with 300,000 samples take a third of a second.
void verify(SQLite::Database& database, const std::filesystem::path& path);

}  // namespace colltree
