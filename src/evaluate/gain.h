// SPDX-License-Identifier: BSD-3-Clause
// What rules gain over the default, from rounds of both measured side by side.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/statistics.h"

namespace colltree {

// Medians of one instance in one round, in microseconds.
struct Pair {
  double default_us = 0;
  double tuned_us = 0;
};

struct Gain {
  double factor = 1;  // time of the default / time under the rules: geometric mean over the rounds
  Interval interval{1, 1};  // 95 %, bootstrap over the rounds
};

// `rounds`: at each instance one pair a round, all of the same number of rounds (at least 1). The
// rounds are drawn with replacement, the same for all instances: what disturbed one round disturbed
// all of it. One instance gives its own gain, several the geometric mean of theirs.
Gain gain_of(const std::vector<std::vector<Pair>>& instances, std::uint64_t seed);

// Of one instance, without assumptions: where the median of all possible rounds lies with the
// confidence (base/statistics.h). From 0 to infinity when there are too few rounds for it.
Interval gain_interval(const std::vector<Pair>& rounds, double confidence);
// The medians over the rounds: of the gain; of both times.
double median_gain(const std::vector<Pair>& rounds);
Pair medians(const std::vector<Pair>& rounds);

// "faster", "slower" or "no difference can be told": whether the interval holds 1.
std::string_view verdict(const Gain& gain);

}  // namespace colltree
