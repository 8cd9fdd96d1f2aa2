// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/start_window.h"

#include <algorithm>

namespace colltree {

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
