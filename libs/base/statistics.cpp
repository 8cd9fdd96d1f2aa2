// SPDX-License-Identifier: BSD-3-Clause
#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace colltree {

namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::ranges::sort(values);
  return values;
}

// Largest k such that order statistics k and n-1-k (from 0) enclose the median with the confidence:
// P(k < B(n, 1/2) ... ) = 1 - 2 P(B <= k). Returns -1 when even the extremes do not.
int enclosing_rank(std::size_t n, double confidence) {
  const double log_half_n = static_cast<double>(n) * std::log(0.5);
  double tail = 0;
  int rank = -1;
  for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
    const auto kd = static_cast<double>(k);
    const auto nd = static_cast<double>(n);
    tail +=
        std::exp(std::lgamma(nd + 1) - std::lgamma(kd + 1) - std::lgamma(nd - kd + 1) + log_half_n);
    if (1 - 2 * tail < confidence) break;
    rank = static_cast<int>(k);
  }
  return rank;
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) return 0;
  const std::vector<double> values = sorted(samples);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
Interval median_interval(std::span<const double> samples, double confidence) {
  if (samples.empty()) return {};
  const std::vector<double> values = sorted(samples);
  const auto rank =
      static_cast<std::size_t>(std::max(0, enclosing_rank(values.size(), confidence)));
  return {values[rank], values[values.size() - 1 - rank]};
}

double log_deviation(const Interval& of_95) {
  return std::log(of_95.high / of_95.low) / (2 * kDeviationsOf95);
}

double relative_half_width(std::span<const double> samples, double confidence) {
  if (enclosing_rank(samples.size(), confidence) < 0)
    return std::numeric_limits<double>::infinity();
  const Interval interval = median_interval(samples, confidence);
  const double middle = median(samples);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : 0;
}

}  // namespace colltree
