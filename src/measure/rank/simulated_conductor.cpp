// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/simulated_conductor.h"

#include <algorithm>
#include <simgrid/s4u/Engine.hpp>

namespace colltree {

void SimulatedConductor::enter(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  simgrid::s4u::BarrierPtr& barrier = shared_.barrier[size];
  if (!barrier) barrier = simgrid::s4u::Barrier::create(static_cast<unsigned>(size));
  barrier_ = barrier;
}

Durations SimulatedConductor::run(std::size_t repetitions, const Timed& timed) {
  Durations durations(repetitions);
  if (timed.begin) timed.begin();
  for (std::size_t i = 0; i < repetitions; ++i) {
    barrier_->wait();
    const double start = simgrid::s4u::Engine::get_clock();
    shared_.last_end_s = start;
    barrier_->wait();
    timed.call(i);
    shared_.last_end_s = std::max(shared_.last_end_s, simgrid::s4u::Engine::get_clock());
    barrier_->wait();
    durations[i] = shared_.last_end_s - start;
  }
  if (timed.end) timed.end();
  return durations;
}

}  // namespace colltree
