// SPDX-License-Identifier: BSD-3-Clause
// Cells of one communicator size on several communicators of a job at once, which have no node in
// common, each another cell. First some cells are measured alone and at once: where their
// medians differ by more than the plan allows, or nothing could be compared, nothing else is done.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "measure/rank/measure_rank.h"

namespace colltree {

// False: they disturb each other, nothing was reported but a line that says so. `blocks`: as
// disjoint_blocks makes them, at least two. Collective over `world`.
bool measure_at_once(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                     std::span<const PlanCell> cells, const Plan& plan, MPI_Comm world,
                     const RankEnvironment& environment);

}  // namespace colltree
