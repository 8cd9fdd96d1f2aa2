// SPDX-License-Identifier: BSD-3-Clause
// The median of samples and its confidence interval by order statistics, without an assumption
// about the distribution.
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

// The standard deviation of the logarithm that a 95 % interval of a positive value implies.
inline constexpr double kDeviationsOf95 = 1.96;  // half such an interval
double log_deviation(const Interval& of_95);

// The median of the square of a standard normal number.
inline constexpr double kMedianOfSquares = 0.4549;

// Half the width of the interval relative to the median, which the stop rule compares. Infinite
// when too few samples support the confidence.
double relative_half_width(std::span<const double> samples, double confidence);

}  // namespace colltree
