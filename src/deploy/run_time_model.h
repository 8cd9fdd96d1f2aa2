// SPDX-License-Identifier: BSD-3-Clause
// What `tune` gives to programs: one compact decision file of all collectives that were tuned, for
// `colltree run` (docs/runtime.md).
#pragma once

#include <string>
#include <vector>

#include "timings/timings.h"

namespace colltree {

// The bytes of the file. Each collective's model is the one that `fitter` makes. Where the timings
// are of the system itself, the library's own choice is a method among ours: it is the decision
// where it is faster. A simulated library's choice says nothing of the real one's.
std::string run_time_model(const std::vector<Timings>& timings, const std::string& fitter);

// The same timings with the default as their last method.
Timings with_default(const Timings& timings);

}  // namespace colltree
