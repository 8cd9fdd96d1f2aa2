// SPDX-License-Identifier: BSD-3-Clause
// How far a mean can be trusted: the percentile bootstrap (B. Efron, Ann. Statist. 7 (1979) 1-26).
// What was left out together is drawn together, because its values depend on each other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/statistics.h"
#include "coll/method.h"

namespace colltree {

struct Bootstrap {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
  // Instances of one group are drawn together; none: each by itself.
  std::function<std::uint64_t(const Instance&)> group = nullptr;
};

// The middle 95 % of the means of `resamples` draws with replacement. values[i] belongs to at[i].
// None with fewer than two groups. Cost: resamples x groups.
std::optional<Interval> mean_interval(std::span<const double> values, std::span<const Instance> at,
                                      const Bootstrap& bootstrap);

}  // namespace colltree
