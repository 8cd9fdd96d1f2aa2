// SPDX-License-Identifier: BSD-3-Clause
// What is fitted to be deployed: one thing for `tune`, which writes it, and for the report, which
// shows it.
#pragma once

#include <string>
#include <string_view>

#include "timings/timings.h"

namespace colltree {

// `tune --least-gain` unless it is told otherwise.
inline constexpr std::string_view kUsualLeastGain = "5%";

// In the words of model/fitter.h: an optimal tree of the size that points left out speak for
// (docs/evaluating.md: by its tables); with the least gain where the library's own choice was
// measured on the machine itself.
std::string deployed_fitter(const Timings& timings, std::string_view least_gain = kUsualLeastGain);

}  // namespace colltree
