// SPDX-License-Identifier: BSD-3-Clause
// How well simulated times predict measured ones, cell by cell.
#pragma once

#include <cstddef>
#include <functional>

#include "base/json.h"
#include "timings/timings.h"

namespace colltree {

struct SimulatedError {
  std::size_t cells = 0;
  double median = 0;  // of |simulated - measured| / measured
  double p90 = 0;
  double ratio = 1;  // simulated / measured, geometric mean
};

// Of the cells of both whose method is one of `which`; instances are the same where communicator
// and message size are, wherever the ranks lie. Not the default, which is another library's.
SimulatedError simulated_error(const Timings& measured, const Timings& simulated,
                               const std::function<bool(const Method&)>& which);

Json simulated_error_json(const SimulatedError& error);

}  // namespace colltree
