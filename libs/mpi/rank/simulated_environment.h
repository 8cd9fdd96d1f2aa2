// SPDX-License-Identifier: BSD-3-Clause
// The parts of the environment that differ in the simulator: common starts, and the cost of local
// work.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <simgrid/s4u/Barrier.hpp>
#include <string>

#include "base/not_copied.h"
#include "rank/measure_rank.h"

namespace colltree::rank {

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

// The number of consecutive hosts that stand for a node: colltree/ranks_per_node, or 1. Throws
// Error.
std::uint64_t hosts_per_node();

// The value in the platform file, <prop id="NAME" value="..."/>; nullptr: there is none.
const char* platform_property(const char* name);

// The environment that both programs give a rank after MPI_Init: common starts, the ranks per node,
// and MPI_SUM on 32-bit integers and MPI_BXOR on bytes that charge their cost, so that the
// library's own algorithms pay it like ours. These two are freed by the caller.
RankEnvironment simulated_rank(SimulatedConductor& conductor, std::uint64_t ranks_per_node);

// The rest works behind SimGrid's interface.

// The numbers that SimGrid's network model IB gives hosts, and room for the greatest of them.
//
// The model numbers hosts by how often it heard of a host (Host::on_creation) and keeps a flag for
// each in a vector as long as there are hosts. But SimGrid 3.32 tells of a host again whenever a
// zone with it is sealed, so a host of a later zone has a number beyond the vector: flags are read
// and written in foreign memory. Times depend then on what lies there, the solver meets rates that
// cannot be, or the process dies. Hosts that nobody uses lengthen the vector.
class HostNumbers : NotCopied {
 public:
  // Before the platform is loaded; lives as long as hosts are made.
  HostNumbers();

  // Once, when all hosts are there. They stand behind all others in SimGrid's lists.
  void make_room();

 private:
  std::set<std::string> known_;
  std::uint64_t told_ = 0;      // how often the model heard of a host
  std::uint64_t greatest_ = 0;  // number that it gave one
};

// Makes MPI_COMM_WORLD SimGrid's only world, as smpirun does; called by each rank after MPI_Init in
// a process that simulates one job. Without it SMPI takes every communicator for the world where it
// looks for the ranks of a node, and its port of MPICH's selector crashes on any other.
void know_only_world();

// Sets if the calling rank's messages carry what is in its memory. Without, SMPI copies no message
// and its collectives allocate nothing; times are the same.
void carry_content(bool carries);

// Simulated time may be set to zero between two runs of the engine without ranks, if this SimGrid
// allows it: what follows has the same times, to the last bit, as in a fresh process.
bool can_rewind_clock();
void rewind_clock();

}  // namespace colltree::rank
