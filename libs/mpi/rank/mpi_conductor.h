// SPDX-License-Identifier: BSD-3-Clause
// How ranks under real MPI start together and what time it is for all of them.
#pragma once

#include <mpi.h>

#include <deque>

#include "base/not_copied.h"
#include "rank/measure_rank.h"
#include "rank/repetitions.h"

namespace colltree::rank {

// One time for all ranks of a job: each rank's monotonic clock plus an offset to rank 0's, learned
// by ping-pong (the smallest round trip bounds the error) and extrapolated by a line, because
// clocks of different nodes drift. Ranks of one node share a clock and learn the offset of their
// first rank.
class GlobalClock : NotCopied {
 public:
  explicit GlobalClock(MPI_Comm world);  // collective
  ~GlobalClock();

  // Collective over the world; call it every few seconds.
  void synchronise();

  double now() const;                      // seconds, comparable across ranks
  void wait_until(double time) const;      // spins; gives way where ranks share cores
  double error() const { return error_; }  // seconds, the largest over all ranks; on every rank
  int cores() const { return cores_; }     // that the job's ranks on this node may run on
  bool oversubscribed() const { return oversubscribed_; }  // more ranks on this node than cores

 private:
  MPI_Comm world_;
  MPI_Comm node_ = MPI_COMM_NULL;     // ranks that share our clock
  MPI_Comm leaders_ = MPI_COMM_NULL;  // first rank of each node, or null
  std::deque<OffsetEstimate> estimates_;
  double slope_offset_ = 0;  // offset = slope_offset_ + slope_ * (local time)
  double slope_ = 0;
  double error_ = 0;
  int cores_ = 0;
  bool oversubscribed_ = false;
};

// Common starts by synchronised clocks: repetition i starts at start + i * window on every rank. A
// rank that is late marks the repetition as missed; the window grows when that happens. Where no
// node has more ranks than cores, a rank that was taken off its core marks it as disturbed. (With
// more ranks than cores yielding counts as such a switch, so the mark has no meaning.)
class MpiConductor : public Conductor {
 public:
  explicit MpiConductor(MPI_Comm world) : clock_(world) {}

  void enter(MPI_Comm comm) override;
  Durations run(std::size_t repetitions, const Timed& timed) override;
  bool everywhere(bool mine) override;
  double clock_error_us() const override { return clock_.error() * 1e6; }

  GlobalClock& clock() { return clock_; }

 private:
  GlobalClock clock_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  StartWindow window_;  // on rank 0
};

}  // namespace colltree::rank
