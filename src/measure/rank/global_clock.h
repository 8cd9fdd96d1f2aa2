// SPDX-License-Identifier: BSD-3-Clause
// One time for all ranks of a job: each rank's monotonic clock plus an offset to rank 0's, learned
// by ping-pong (the smallest round trip bounds the error) and extrapolated by a line, because
// clocks of different nodes drift. Ranks of one node share a clock and learn the offset of their
// first rank.
#pragma once

#include <mpi.h>

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

class GlobalClock {
 public:
  explicit GlobalClock(MPI_Comm world);  // collective
  ~GlobalClock();
  GlobalClock(const GlobalClock&) = delete;
  GlobalClock& operator=(const GlobalClock&) = delete;

  // Collective over the world; call it every few seconds.
  void synchronise();

  double now() const;                      // seconds, comparable across ranks
  void wait_until(double time) const;      // spins; gives way where ranks share cores
  double error() const { return error_; }  // seconds, the largest over all ranks; on every rank
  bool oversubscribed() const { return oversubscribed_; }  // more ranks on this node than cores

 private:
  MPI_Comm world_;
  MPI_Comm node_ = MPI_COMM_NULL;     // ranks that share our clock
  MPI_Comm leaders_ = MPI_COMM_NULL;  // first rank of each node, or null
  std::deque<OffsetEstimate> estimates_;
  double slope_offset_ = 0;  // offset = slope_offset_ + slope_ * (local time)
  double slope_ = 0;
  double error_ = 0;
  bool oversubscribed_ = false;
};

}  // namespace colltree
