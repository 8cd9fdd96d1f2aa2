// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/json.h"
#include "timings/penalty.h"

namespace colltree {

// The value of "performance_penalty": instances, min, max, mean, median, p95, share_above_5,
// share_above_10, share_above_50, above_50, charged_mean, geometric_mean, versus_default (null
// without a default), mean_interval ([low, high], where it was asked for); predicted (instances
// whose figure rests on a prediction), where there are any. Without an instance the figures are
// null.
Json penalty_json(const PenaltySummary& summary);
// Reads such a value, except the interval. A figure that is null or missing becomes 0, the
// geometric mean none. Throws Error.
PenaltySummary penalty_from_json(const Json& json);

// [{collective, order, methods, of_methods, mean_penalty, max_penalty}, ...]
Json to_json(const std::vector<OneOrder>& orders);
OneOrder one_order_from_json(const Json& json);  // throws Error

// [{collective, communicator_size, message_size, method}, ...]
Json cannot_run_json(const std::vector<CannotRun>& cannot_run);

}  // namespace colltree
