// SPDX-License-Identifier: BSD-3-Clause
// Bounds of numbers that several commands ask for.
#pragma once

#include "base/bounds.h"

namespace colltree::limits {

// Of an instance that is asked about: what an MPI communicator and a size in bytes can be.
inline constexpr WholeRange kAskedRanks{1, 2147483647};
inline constexpr WholeRange kAskedBytes{};
// Of an instance whose time is predicted: as in a profile.
inline constexpr WholeRange kPredictedBytes{0, std::uint64_t{1} << 62};
// Of an instance that is measured.
inline constexpr WholeRange kMeasuredRanks{1, std::uint64_t{1} << 20};
inline constexpr WholeRange kMeasuredBytes{0, std::uint64_t{1} << 30};

inline constexpr WholeRange kJobs{1, 4096};
inline constexpr WholeRange kSeed{};
inline constexpr RealRange kPercentOfPenalty{0, 1e6};

}  // namespace colltree::limits
