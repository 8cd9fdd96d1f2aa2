// SPDX-License-Identifier: BSD-3-Clause
// Common starts in the simulator: all ranks live in this process, leave a barrier of zero cost at
// the same simulated instant, and the last end is a maximum in plain memory.
#pragma once

#include <map>
#include <memory>
#include <simgrid/s4u/Barrier.hpp>

#include "measure/rank/conductor.h"

namespace colltree {

// Shared by the conductors of all ranks. The simulator runs one rank at a time: no lock.
struct SimulatedStart {
  std::map<int, simgrid::s4u::BarrierPtr> barrier;  // by communicator size
  double last_end_s = 0;
  int finished_ranks = 0;  // that came to the end of the plan
};

class SimulatedConductor : public Conductor {
 public:
  explicit SimulatedConductor(SimulatedStart& shared) : shared_(shared) {}

  void enter(MPI_Comm comm) override;
  Durations run(std::size_t repetitions, const Timed& timed) override;

 private:
  SimulatedStart& shared_;
  simgrid::s4u::BarrierPtr barrier_;
};

}  // namespace colltree
