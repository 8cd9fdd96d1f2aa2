// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/measure_rank.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>

#include "base/streams.h"
#include "measure/rank/cell_runner.h"
#include "measure/rank/stretches.h"

namespace colltree {

namespace {

void count_nodes(MPI_Comm comm, std::uint64_t& nodes, std::uint64_t& ranks_per_node) {
  int rank = 0;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int node_rank = 0;
  int node_size = 0;
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_free(&node);
  int mine[2] = {node_rank == 0 ? 1 : 0, 0};
  int all[2] = {0, 0};
  MPI_Allreduce(mine, all, 1, MPI_INT, MPI_SUM, comm);
  mine[1] = node_size;
  MPI_Allreduce(&mine[1], &all[1], 1, MPI_INT, MPI_MAX, comm);
  nodes = static_cast<std::uint64_t>(all[0]);
  ranks_per_node = static_cast<std::uint64_t>(all[1]);
}

std::string first_line(const char* text) { return std::string(text, std::strcspn(text, "\r\n")); }

// A fault on demand, for the tests of the campaign: COLLTREE_TEST_ABORT holds a cell line.
void abort_if_asked(const PlanCell& cell) {
  const char* wanted = std::getenv("COLLTREE_TEST_ABORT");
  if (wanted != nullptr && cell_line(cell) == wanted) MPI_Abort(MPI_COMM_WORLD, 1);
}

// The cells of one communicator.
void measure_group(const Group& group, std::span<const PlanCell> cells, const StopRule& stop,
                   const RankEnvironment& environment) {
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
    steps.look = [&group, guard] { return guard->look(group.comm); };
    steps.wait = [guard] { guard->wait(); };
  }
  measure_in_stretches(cells.size(), stop.max_foreign_load, steps);
}

}  // namespace

void report_start(MPI_Comm world, const RankEnvironment& environment) {
  JobStarted job;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  count_nodes(world, job.nodes, job.ranks_per_node);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  job.mpi_library = first_line(text);
  MPI_Get_processor_name(text, &length);
  job.host = text;
  job.ranks = static_cast<std::uint64_t>(size);
  job.clock_error_us = environment.conductor->clock_error_us();
  if (rank == 0) environment.report(job);
}

void measure(const Plan& plan, MPI_Comm world, const RankEnvironment& environment) {
  int world_rank = 0;
  MPI_Comm_rank(world, &world_rank);
  for (std::size_t begin = 0; begin < plan.cells.size();) {
    const std::uint64_t size = plan.cells[begin].communicator_size;
    std::size_t end = begin;
    while (end < plan.cells.size() && plan.cells[end].communicator_size == size) ++end;
    Group group;
    const bool member = static_cast<std::uint64_t>(world_rank) < size;
    MPI_Comm_split(world, member ? 0 : MPI_UNDEFINED, world_rank, &group.comm);
    if (member) {
      MPI_Comm_rank(group.comm, &group.rank);
      count_nodes(group.comm, group.nodes, group.ranks_per_node);
      environment.conductor->enter(group.comm);
      if (environment.selector != nullptr) MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN);
      measure_group(group, std::span(plan.cells).subspan(begin, end - begin), plan.stop,
                    environment);
      MPI_Comm_free(&group.comm);
    }
    if (environment.leave_idle) environment.leave_idle(world);
    if (environment.between_groups) environment.between_groups(world);
    begin = end;
  }
}

void print_or_abort(const std::string& lines) {
  try {
    with_output([&] { fmt::print("{}", lines); });
  } catch (const std::exception& error) {
    say("colltree-measure: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace colltree
