// SPDX-License-Identifier: BSD-3-Clause
// A library with and without a rules file, measured in turn. Open MPI: both in one job a round,
// call by call on two communicators. MPICH reads its file at the start: two jobs a round, in
// changing order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluate/gain.h"
#include "measure/grid.h"
#include "measure/job_starter.h"

namespace colltree {

struct SideBySideRequest {
  Library library = Library::kOpenmpi;
  std::string rules;  // file
  std::vector<Collective> collectives;
  Grid grid;
  std::size_t rounds = 10;
  StopRule stop;
};

// One pair a round at each instance that has a time of both in every round. Throws Error when a job
// does not run.
std::map<Instance, std::vector<Pair>> measure_side_by_side(const SideBySideRequest& request,
                                                           const JobStarter& starter);

}  // namespace colltree
