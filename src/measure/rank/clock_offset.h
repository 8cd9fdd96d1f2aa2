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

}  // namespace colltree
