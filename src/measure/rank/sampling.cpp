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
  return static_cast<std::size_t>(std::min(
      {std::max(kFirstBatch, tried()), stop_.max_samples - samples_us_.size(), affordable()}));
}

// A cell without a single sample is worth more time: its window must first grow.
double Sampling::budget_s() const {
  return stop_.cell_budget_s * (samples_us_.empty() ? kPatience : 1);
}

// So that a method that runs away is cut short: a batch of it is not worth many times the cell's
// time.
std::uint64_t Sampling::affordable() const {
  if (call_s_ <= 0 || stop_.cell_budget_s <= 0) return stop_.max_samples;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(
             std::min(stop_.cell_budget_s / call_s_, static_cast<double>(stop_.max_samples))));
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
  return samples_us_.size() >= stop_.max_samples || tried() >= kMostTries * stop_.max_samples ||
         (tried() > 0 && clock_s_() - began_s_ > budget_s());
}

}  // namespace colltree
