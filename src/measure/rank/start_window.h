// SPDX-License-Identifier: BSD-3-Clause
// When the repetitions of a batch start on every rank, and which of them count. Numbers only;
// MpiConductor waits and exchanges them.
#pragma once

#include <vector>

namespace colltree {

// Seconds each repetition took, on rank 0 of the communicator. Negative entries do not count.
using Durations = std::vector<double>;
inline constexpr double kMissed = -1;     // a rank missed the common start
inline constexpr double kDisturbed = -2;  // a rank lost its processor to somebody else

// What one rank says of a repetition in place of its seconds. Longer than any collective, so that
// the largest of all ranks is the worst mark.
inline constexpr double kLate = 2e9;
inline constexpr double kLostCore = 1e9;

// Repetition i starts at first_start() + i * seconds() on every rank. The window grows when ranks
// miss starts, and follows the calls otherwise.
class StartWindow {
 public:
  double seconds() const { return seconds_; }
  double first_start(double now) const;  // both in seconds, by one clock

  // Of each repetition the largest that any rank said; marks become kMissed and kDisturbed.
  Durations settle(Durations longest);

 private:
  static constexpr double kSmallest = 20e-6;
  static constexpr double kLargest = 10;

  double seconds_ = kSmallest;
};

}  // namespace colltree
