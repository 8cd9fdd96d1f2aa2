// SPDX-License-Identifier: BSD-3-Clause
// Common starts by synchronised clocks: repetition i starts at start + i * window on every rank. A
// rank that is late marks the repetition as missed; the window grows when that happens. Where no
// node has more ranks than cores, a rank that was taken off its core marks it as disturbed. (With
// more ranks than cores yielding counts as such a switch, and nothing can be told from it.)
#pragma once

#include "measure/rank/conductor.h"
#include "measure/rank/global_clock.h"

namespace colltree {

class MpiConductor : public Conductor {
 public:
  explicit MpiConductor(MPI_Comm world) : clock_(world) {}

  void enter(MPI_Comm comm) override;
  Durations run(std::size_t repetitions, const Timed& timed) override;
  double clock_error_us() const override { return clock_.error() * 1e6; }

  GlobalClock& clock() { return clock_; }

 private:
  GlobalClock clock_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  double window_ = 0;  // seconds, on rank 0
};

}  // namespace colltree
