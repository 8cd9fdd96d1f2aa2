// SPDX-License-Identifier: BSD-3-Clause
// What differs in the simulator: common starts, and the cost of local work.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <simgrid/s4u/Barrier.hpp>

#include "measure/rank/measure_rank.h"

namespace colltree {

// Shared by the conductors of all ranks. The simulator runs one rank at a time: no lock.
struct SimulatedStart {
  std::map<int, simgrid::s4u::BarrierPtr> barrier;  // by communicator size
  double last_end_s = 0;
  bool everywhere = true;
  int finished_ranks = 0;  // that came to the end of the plan
  bool failed = false;     // a cell
};

// Common starts in the simulator: all ranks live in this process, leave a barrier of zero cost at
// the same simulated instant, and the last end is a maximum in plain memory.
class SimulatedConductor : public Conductor {
 public:
  explicit SimulatedConductor(SimulatedStart& shared) : shared_(shared) {}

  void enter(MPI_Comm comm) override;
  Durations run(std::size_t repetitions, const Timed& timed) override;
  bool everywhere(bool mine) override;

 private:
  SimulatedStart& shared_;
  simgrid::s4u::BarrierPtr barrier_;
};

// The cost of local work in the simulator, which itself only charges messages: reductions and
// copies, per byte, as the platform file states them (colltree/reduce_ns_per_byte,
// colltree/copy_ns_per_byte).
//
// Reads the platform's properties; call it after the platform is loaded. Throws Error.
void load_simulated_cost();

// How many hosts, one after the other, stand for a node: colltree/ranks_per_node, or 1. Throws
// Error.
std::uint64_t hosts_per_node();

// What the platform file says, <prop id="NAME" value="..."/>; nullptr: nothing.
const char* platform_property(const char* name);

void charge_copy(std::size_t bytes);

// MPI_SUM on 32-bit integers and MPI_BXOR on bytes that charge their cost, so that the library's
// own algorithms pay it like ours. Created per rank after MPI_Init; freed by the caller.
MPI_Op make_charged_sum();
MPI_Op make_charged_exclusive_or();

}  // namespace colltree
