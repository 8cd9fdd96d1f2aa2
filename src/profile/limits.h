// SPDX-License-Identifier: BSD-3-Clause
// What the numbers of a profile can be: wider than any machine, narrow enough that sums, squares
// and ratios of them stay finite and whole numbers fit SQLite's.
#pragma once

#include <cstdint>
#include <string>

namespace colltree {

inline constexpr std::uint64_t kMostRanks = 2147483647;  // MPI counts ranks with int
inline constexpr std::uint64_t kMostBytes = 1ULL << 62;  // also of elements
inline constexpr std::uint64_t kMostReps = 1000000000;
inline constexpr double kLeastTime_us = 1e-6;  // a millionth of a clock tick
inline constexpr double kMostTime_us = 1e15;   // 31 years

inline bool is_time(double time_us) { return time_us >= kLeastTime_us && time_us <= kMostTime_us; }

// "from 1e-06 to 1e+15"
std::string time_limits();

}  // namespace colltree
