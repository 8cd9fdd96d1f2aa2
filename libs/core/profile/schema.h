// SPDX-License-Identifier: BSD-3-Clause
// Opening a profile: its tables (docs/reference/formats/profile.md), and how SQLite's
// failures are reported to the user.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"

namespace colltree::profile {

inline constexpr int kApplicationId = 0x434F4C54;  // "COLT", at byte 68 of the file
inline constexpr int kSchemaVersion = 3;           // PRAGMA user_version; no other is read

// Opens a profile and checks everything in it (tally.h), so that later reads see what was written.
// With `create` it also makes the tables, when the file is new or empty.
std::unique_ptr<SQLite::Database> open_database(const std::filesystem::path& path, bool create);

// One line for the user: the problem with `path` and the remedy.
std::string explain(const std::filesystem::path& path, const SQLite::Exception& error);

// Runs `work` and turns what SQLite throws into Error.
template <typename Work>
auto explained(const std::filesystem::path& path, const Work& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw Error(explain(path, error));
  }
}

}  // namespace colltree::profile
