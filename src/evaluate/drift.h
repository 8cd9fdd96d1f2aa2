// SPDX-License-Identifier: BSD-3-Clause
// Whether a deployed choice still is on a machine what it was when it was verified there: from
// rounds of the default and the choice side by side (gain.h), now and then.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/gain.h"

namespace colltree {

enum class Standing : std::uint8_t { kHolds, kDrifted, kCannotTell };
std::string_view name(Standing standing);  // "holds", "drifted", "cannot tell"

// All probes together raise a false alarm with a probability of at most this.
inline constexpr double kFalseAlarms = 0.05;
// A gain that has changed by less than this factor has not drifted.
inline constexpr double kTolerated = 1.05;
// A choice holds where a loss of its gain by this factor can be ruled out.
inline constexpr double kRuledOut = 1.3;

// One instance.
struct Drift {
  Standing standing = Standing::kCannotTell;
  double then = 1;
  Interval then_interval{1, 1};
  double now = 1;
  Interval now_interval{1, 1};
};

// Rounds that each of so many probes needs, and at least twelve: of those the outermost do not
// count when few are judged.
std::size_t rounds_for(std::size_t probes);

// Drifted: the intervals of then and now are further apart than what is tolerated, to either side.
// `then` empty: nothing is known but that the choice shall not be slower than the default; drifted
// only if it is. `probes`: how many are judged together.
Drift judge_drift(const std::vector<Pair>& then, const std::vector<Pair>& now, std::size_t probes);

// Drifted if one is; holds if all do.
Standing judge_all(std::span<const Drift> drifts);

}  // namespace colltree
