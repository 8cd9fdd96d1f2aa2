// SPDX-License-Identifier: BSD-3-Clause
// The measured instances laid out on the full (communicator size x message size) grid, and the
// times of the points that are missing there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profile/timings.h"

namespace colltree {

struct InstanceGrid {
  std::vector<std::uint64_t> communicator_sizes;     // ascending: rows
  std::vector<std::uint64_t> message_sizes;          // ascending: columns
  std::vector<std::optional<std::size_t>> instance;  // rows x columns: index into the timings
};

// Throws Error when there is no instance or one point was measured with several placements.
InstanceGrid make_grid(const Timings& timings);

// The time of each method at a point that was not measured. Along each axis (log2 communicator
// size, log2 message size) with a measured point on both sides, the logarithm of the time is
// interpolated linearly between the two nearest; two axes are averaged. A method that cannot run at
// one of these points cannot run here: nothing is interpolated across it. A point that no axis
// brackets, or where then no method is left, takes the times of the nearest measured point.
std::vector<double> interpolated_times(const InstanceGrid& grid, const Timings& timings,
                                       std::size_t cell);

}  // namespace colltree
