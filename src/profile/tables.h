// SPDX-License-Identifier: BSD-3-Clause
// The tables of a profile in SQL, by schema version (docs/formats/profile.md).
#pragma once

#include <cstdint>

namespace colltree {

inline constexpr int kApplicationId = 0x434F4C54;  // "COLT", at byte 68 of the file
inline constexpr int kSchemaVersion = 2;           // PRAGMA user_version; older ones are read
inline constexpr int kFirstCounted = 2;            // the version that counts what it holds

// 1 to kSchemaVersion.
const char* tables_sql(int version);

}  // namespace colltree
