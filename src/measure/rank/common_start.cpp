// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/common_start.h"

#include <algorithm>

namespace colltree {

OffsetEstimate estimate_offset(const std::vector<PingPong>& trials) {
  const auto round_trip = [](const PingPong& trial) { return trial.received - trial.sent; };
  const PingPong& best = *std::ranges::min_element(trials, {}, round_trip);
  return {(best.sent + best.received) / 2 - best.answered, round_trip(best) / 2, best.answered};
}

double extrapolate_offset(const std::deque<OffsetEstimate>& estimates, double at) {
  if (estimates.empty()) return 0;
  if (estimates.size() < 3) return estimates.back().offset;
  // Centred on the newest estimate: clocks count from the boot, and squares of that lose digits.
  const OffsetEstimate& newest = estimates.back();
  double mean_time = 0;
  double mean_offset = 0;
  for (const OffsetEstimate& estimate : estimates) {
    mean_time += (estimate.at - newest.at) / static_cast<double>(estimates.size());
    mean_offset += (estimate.offset - newest.offset) / static_cast<double>(estimates.size());
  }
  double covariance = 0;
  double variance = 0;
  for (const OffsetEstimate& estimate : estimates) {
    const double time = estimate.at - newest.at - mean_time;
    covariance += time * (estimate.offset - newest.offset - mean_offset);
    variance += time * time;
  }
  const double slope = variance > 0 ? covariance / variance : 0;
  return newest.offset + mean_offset + slope * (at - newest.at - mean_time);
}

double StartWindow::first_start(double now) const {
  // The broadcast that announces it must be over on every rank.
  constexpr double kAnnouncement = 10 * kSmallest;
  return now + std::max(kAnnouncement, 2 * seconds_);
}

Durations StartWindow::settle(Durations longest) {
  const auto missed = static_cast<std::size_t>(std::ranges::count(longest, kLate));
  double usual = kSmallest;
  for (double& duration : longest) {
    if (duration == kLate) {
      duration = kMissed;
    } else if (duration == kLostCore) {
      duration = kDisturbed;
    } else {
      usual = std::max(usual, duration);
    }
  }
  // A tenth missed is fine (interrupts); more means that calls run into the next start.
  const bool overrun = 10 * missed > longest.size();
  seconds_ = std::clamp(overrun ? 4 * seconds_ : 2 * usual, kSmallest, kLargest);
  return longest;
}

}  // namespace colltree
