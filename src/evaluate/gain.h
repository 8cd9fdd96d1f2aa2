// SPDX-License-Identifier: BSD-3-Clause
// What rules gain over the default, from rounds of both measured side by side, and whether they
// still do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/statistics.h"

namespace colltree::evaluate {

// Medians of one instance in one round, in microseconds.
struct Pair {
  double default_us = 0;
  double tuned_us = 0;
  std::size_t session = 0;  // rounds of one job, or of jobs in a row, have the same
};

struct Gain {
  double factor = 1;  // time of the default / time under the rules: geometric mean over the rounds
  Interval interval{1, 1};  // 95 %
};

// `rounds`: at each instance one pair a round, all of the same number of rounds (at least 1). The
// rounds are drawn with replacement, the same for all instances: what disturbed one round disturbed
// all of it. One instance gives its own gain, several the geometric mean of theirs. Of several
// sessions each is one draw, by its mean: the interval is Student's, and holds how far they differ.
Gain gain_of(const std::vector<std::vector<Pair>>& instances, std::uint64_t seed);

// Of one instance, without assumptions: where the median of all possible rounds lies with the
// confidence (base/statistics.h). From 0 to infinity when there are too few rounds for it. Of
// several sessions it holds their 95 % interval (gain_of), too.
Interval gain_interval(const std::vector<Pair>& rounds, double confidence);
// The medians over the rounds: of the gain; of both times.
double median_gain(const std::vector<Pair>& rounds);
Pair medians(const std::vector<Pair>& rounds);

// Most sessions whose interval is known.
inline constexpr std::size_t kMostSessions = 12;

// "faster", "slower" or "no significant difference": whether the interval holds 1.
std::string_view verdict(const Gain& gain);

// Whether a deployed choice still is on a machine what it was when it was verified there: from
// rounds of the default and the choice side by side now and then.
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

// The number of rounds that each probe needs, at least twelve: the outermost rounds do not count
// when few are judged.
std::size_t rounds_for(std::size_t probes);

// Drifted: the intervals of then and now are further apart than what is tolerated, to either side.
// `then` empty: nothing is known but that the choice shall not be slower than the default; drifted
// only if it is. `probes`: how many are judged together.
Drift judge_drift(const std::vector<Pair>& then, const std::vector<Pair>& now, std::size_t probes);

// Drifted if one is; holds if all do.
Standing judge_all(std::span<const Drift> drifts);

}  // namespace colltree::evaluate
