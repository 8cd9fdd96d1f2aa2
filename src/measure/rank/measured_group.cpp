// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/measured_group.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "measure/foreign_load.h"
#include "measure/rank/load_guard.h"

namespace colltree {

namespace {

// A fault on demand, for the tests of the campaign: COLLTREE_TEST_ABORT holds a cell line.
void abort_if_asked(const PlanCell& cell) {
  const char* wanted = std::getenv("COLLTREE_TEST_ABORT");
  if (wanted != nullptr && cell_line(cell) == wanted) MPI_Abort(MPI_COMM_WORLD, 1);
}

// All of the world's ranks in their order.
bool is_the_world(const std::vector<int>& members, std::size_t ranks) {
  return std::ranges::is_sorted(members) && members.size() == ranks;
}

}  // namespace

MeasuredGroup::MeasuredGroup(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                             MPI_Comm world, const RankEnvironment& environment)
    : group_{world}, blocks_(blocks.size()), block_(blocks.size()) {
  int world_rank = 0;
  MPI_Comm_rank(world, &world_rank);
  int place = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto mine = std::ranges::find(blocks[i], world_rank);
    if (mine == blocks[i].end()) continue;
    block_ = i;
    place = static_cast<int>(mine - blocks[i].begin());
  }
  split_ = environment.split_all || !is_the_world(blocks.front(), node_of.size());
  if (split_)
    MPI_Comm_split(world, has_me() ? static_cast<int>(block_) : MPI_UNDEFINED, place, &group_.comm);
  if (!has_me()) return;
  MPI_Comm_rank(group_.comm, &group_.rank);
  std::vector<int> nodes;
  for (const int rank : blocks[block_]) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
  if (!group_.layout.open(nodes.data(), static_cast<int>(nodes.size()))) throw std::bad_alloc();
  environment.conductor->enter(group_.comm);
  if (environment.selector != nullptr) MPI_Comm_set_errhandler(group_.comm, MPI_ERRORS_RETURN);
}

MeasuredGroup::~MeasuredGroup() {
  if (split_ && has_me()) MPI_Comm_free(&group_.comm);
}

void MeasuredGroup::measure(std::span<const PlanCell> cells, const StopRule& stop,
                            const RankEnvironment& environment) const {
  const Group& group = group_;
  StretchSteps steps;
  steps.measure = [&](std::size_t i) {
    if (group.rank == 0) environment.report(CellBegun{cells[i]});
    abort_if_asked(cells[i]);
    return CellRunner(group, cells[i], stop, environment).run();
  };
  steps.report = [&](const Report& report) {
    if (group.rank == 0) environment.report(report);
  };
  if (LoadGuard* guard = environment.load_guard; guard != nullptr && stop.max_foreign_load > 0) {
    guard->start();
    steps.shared_cores =
        guard->shared_cores(group.comm, group.layout.ranks_on(group.layout.node_of(group.rank)));
    steps.look = [&group, guard] { return guard->look(group.comm); };
    steps.wait = [guard] { guard->wait(); };
  }
  measure_in_stretches(cells.size(), stop.max_foreign_load, steps);
}

}  // namespace colltree
