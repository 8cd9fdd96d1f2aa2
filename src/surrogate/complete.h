// SPDX-License-Identifier: BSD-3-Clause
// The times of a table that a campaign wanted and did not measure, predicted from those that it did
// (surrogate.h).
#pragma once

#include <optional>

#include "profile/load_timings.h"
#include "timings/timings.h"

namespace colltree::surrogate {

// Fills time_us and default_us at `wanted` with predictions and their intervals. A method without
// any measured time stays without. Throws Error where a communicator size has several placements
// with the same, or no known, ranks per node.
void predict_times(Timings& timings, const profile::WantedTimes& wanted);

// The table that everything after `measure` works on: what is stored, and predictions of what is
// wanted.
Timings complete(profile::StoredTimings stored);
std::optional<Timings> complete(std::optional<profile::StoredTimings> stored);

}  // namespace colltree::surrogate
