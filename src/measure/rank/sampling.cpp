// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/sampling.h"

#include <algorithm>

#include "base/statistics.h"

namespace colltree {

namespace {

constexpr std::uint64_t kFirstBatch = 10;
constexpr double kPatience = 10;
constexpr std::uint64_t kMostTries = 3;  // times max_samples, when many miss the common start

}  // namespace

std::size_t Sampling::next_batch() {
  if (tried() == 0) began_s_ = clock_s_();
  if (enough()) return 0;
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kFirstBatch, tried()),
                                                          stop_.max_samples - samples_us_.size()));
}

void Sampling::add(const Durations& batch) {
  for (const double seconds : batch) {
    if (seconds < 0) {
      ++discarded_;
    } else {
      samples_us_.push_back(seconds * 1e6);
    }
  }
}

bool Sampling::enough() const {
  if (samples_us_.size() >= stop_.min_samples &&
      relative_half_width(samples_us_, stop_.confidence) <= stop_.max_half_width)
    return true;
  // A cell without a single sample is worth more time: its window must first grow.
  const double budget_s = stop_.cell_budget_s * (samples_us_.empty() ? kPatience : 1);
  return samples_us_.size() >= stop_.max_samples || tried() >= kMostTries * stop_.max_samples ||
         (tried() > 0 && clock_s_() - began_s_ > budget_s);
}

}  // namespace colltree
