// SPDX-License-Identifier: BSD-3-Clause
// What one rank does for a plan: the same source under real MPI, under smpirun and in the
// simulator.
#pragma once

#include <mpi.h>

#include <functional>

#include "measure/plan.h"
#include "measure/rank/conductor.h"
#include "measure/rank/load_guard.h"
#include "measure/rank/method_selector.h"
#include "measure/report_line.h"

namespace colltree {

// What differs between a real cluster and a simulated one.
struct RankEnvironment {
  Conductor* conductor = nullptr;
  std::function<void(const Report&)> report;           // called on rank 0 of the world only
  std::function<void(MPI_Comm world)> between_groups;  // e.g. synchronise clocks; may be empty
  std::function<void(MPI_Comm world)> leave_idle;  // ranks outside a communicator wait here without
                                                   // disturbing it; collective over the world
  void (*charge_copy)(std::size_t bytes) = nullptr;  // simulated cost of local copies
  MPI_Op sum = MPI_SUM;                              // may carry simulated cost
  MPI_Op exclusive_or = MPI_BXOR;
  unsigned synchronous_every = 0;      // algorithms.h
  std::size_t buffer_pool_bytes = 0;   // memory to rotate over; 0 = one slot
  MethodSelector* selector = nullptr;  // the plan's methods are the MPI library's own
  LoadGuard* load_guard = nullptr;
};

// Collective over `world`. Sub-communicators are the first ranks of it. Reports every cell that
// world rank 0 takes part in (it takes part in all).
void measure(const Plan& plan, MPI_Comm world, const RankEnvironment& environment);

}  // namespace colltree
