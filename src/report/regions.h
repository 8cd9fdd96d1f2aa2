// SPDX-License-Identifier: BSD-3-Clause
// Where on the grid something is gained or lost: both axes cut into thirds of their measured sizes,
// nine regions (fewer where an axis has fewer than three sizes).
#pragma once

#include <cstdint>
#include <vector>

#include "timings/timings.h"

namespace colltree {

struct SizeRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};

struct GridRegion {
  SizeRange communicator_sizes;
  SizeRange message_sizes;
  Timings timings;  // its instances; at least one
};

// By communicator size, then message size. Cost: a copy of the timings.
std::vector<GridRegion> regions_of(const Timings& timings);

}  // namespace colltree
