// SPDX-License-Identifier: BSD-3-Clause
// The offset between two clocks from ping-pongs, and its drift. Numbers only; GlobalClock
// (mpi_conductor.h) exchanges the messages.
#pragma once

#include <deque>
#include <vector>

namespace colltree {

// One ping-pong, all times in seconds: sent and received by rank 0's clock, answered by the
// other's.
struct PingPong {
  double sent = 0;
  double answered = 0;
  double received = 0;
};

struct OffsetEstimate {
  double offset = 0;  // rank 0's clock minus ours
  double error = 0;   // at most this wrong: half the smallest round trip
  double at = 0;      // our clock
};

// The estimate of the ping-pong with the smallest round trip. `trials` is not empty.
OffsetEstimate estimate_offset(const std::vector<PingPong>& trials);

// Offset at time `at` from past estimates: their least-squares line, or the newest while there are
// fewer than three.
double extrapolate_offset(const std::deque<OffsetEstimate>& estimates, double at);

// When the repetitions of a batch start on every rank, and which of them count. Numbers only;
// MpiConductor waits and exchanges them.

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
