// SPDX-License-Identifier: BSD-3-Clause
// The median of samples and how well it is known: order statistics, no assumption on the
// distribution.
#pragma once

#include <span>

namespace colltree {

double median(
    std::span<const double> samples);  // mean of the middle two for an even number; 0 for none

struct Interval {
  double low = 0;
  double high = 0;
};

// Confidence interval of the median: the symmetric pair of order statistics whose binomial coverage
// is at least `confidence`; the whole range when there are too few samples for that.
Interval median_interval(std::span<const double> samples, double confidence);

// Standard deviation of the logarithm, as a 95 % interval of a value above 0 says.
inline constexpr double kDeviationsOf95 = 1.96;  // half such an interval
double log_deviation(const Interval& of_95);

// The median of the square of a standard normal number.
inline constexpr double kMedianOfSquares = 0.4549;

// Half the interval's width relative to the median: what the stop rule compares. Infinite when too
// few samples support the confidence.
double relative_half_width(std::span<const double> samples, double confidence);

}  // namespace colltree
