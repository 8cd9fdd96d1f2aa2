// SPDX-License-Identifier: BSD-3-Clause
#include "emit/buckets.h"

#include <algorithm>

#include "runtime/cdt_format.h"

namespace colltree {

namespace {

constexpr std::size_t kWorthIt = 160;  // 320 bytes for an axis

std::uint16_t below(const std::vector<std::uint64_t>& thresholds, std::uint64_t value) {
  const auto first = std::ranges::lower_bound(thresholds, value);
  return static_cast<std::uint16_t>(first - thresholds.begin());
}

Buckets make_buckets(const std::vector<std::uint64_t>& thresholds, std::uint32_t mantissa) {
  Buckets made{.mantissa = mantissa};
  // The bucket after the largest threshold and all later ones are the same: the last.
  const std::uint64_t beyond = thresholds.empty() ? 0 : thresholds.back() + 1;
  const std::uint32_t count = cdt::bucket_of(beyond, mantissa) + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    made.start.push_back(below(thresholds, cdt::bucket_begin(i, mantissa)));
    const std::size_t end =
        i + 1 == count ? thresholds.size() : below(thresholds, cdt::bucket_begin(i + 1, mantissa));
    made.probes = std::max(made.probes, static_cast<std::uint32_t>(end - made.start.back()));
  }
  return made;
}

}  // namespace

Buckets best_buckets(const std::vector<std::uint64_t>& thresholds) {
  Buckets best = make_buckets(thresholds, 0);
  for (std::uint32_t mantissa = 1; mantissa <= cdt::kMostMantissa && best.probes > 1; ++mantissa) {
    Buckets finer = make_buckets(thresholds, mantissa);
    if (finer.start.size() > kWorthIt) break;
    if (finer.probes < best.probes) best = std::move(finer);
  }
  return best;
}

}  // namespace colltree
