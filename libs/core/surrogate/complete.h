// SPDX-License-Identifier: BSD-3-Clause
// Predicts the times that a campaign wanted and did not measure from those that it did measure
// (surrogate.h).
#pragma once

#include <optional>

#include "profile/load_timings.h"
#include "timings/timings.h"

namespace colltree::surrogate {

// Fills time_us and default_us at `wanted` with predictions and their intervals. A method without
// any measured time gets none. Throws Error when a communicator size has several placements with
// the same, or with unknown, ranks per node.
void predict_times(Timings& timings, const profile::WantedTimes& wanted);

// The stored times with predictions of the wanted ones: the table that everything after `measure`
// works on.
Timings complete(profile::StoredTimings stored);
std::optional<Timings> complete(std::optional<profile::StoredTimings> stored);

}  // namespace colltree::surrogate
