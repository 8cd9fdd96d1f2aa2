// SPDX-License-Identifier: BSD-3-Clause
// The times of a table that a campaign wanted and did not measure, predicted from those that it did
// (surrogate.h).
#pragma once

#include <set>
#include <utility>

#include "timings/timings.h"

namespace colltree::surrogate {

// An instance of the table and one of its methods, or the library's own choice.
using WantedTimes = std::set<std::pair<Instance, Method>>;

// Fills time_us and default_us at `wanted` with predictions and their intervals. A method without
// any measured time stays without. Throws Error where a communicator size has several placements
// with the same, or no known, ranks per node.
void predict_times(Timings& timings, const WantedTimes& wanted);

}  // namespace colltree::surrogate
