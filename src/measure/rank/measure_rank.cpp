// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/measure_rank.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>

#include "base/streams.h"
#include "measure/foreign_load.h"
#include "measure/rank/cell_runner.h"

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

// The cells of one communicator. The load guard needs a stretch of some length, which may be many
// cells: their reports wait for its verdict.
class GroupRunner {
 public:
  GroupRunner(const Group& group, std::span<const PlanCell> cells, const StopRule& stop,
              const RankEnvironment& environment)
      : group_(group),
        cells_(cells),
        stop_(stop),
        environment_(environment),
        judge_(stop.max_foreign_load) {}

  void run() {
    const bool guarded = environment_.load_guard != nullptr && stop_.max_foreign_load > 0;
    if (guarded) environment_.load_guard->start();
    for (std::size_t i = 0; i < cells_.size();) {
      reports_.push_back(run_cell(cells_[i++]));
      // The last cells may be few.
      if (guarded && i == cells_.size()) environment_.load_guard->wait();
      if (!guarded) {
        flush(0);
      } else if (const auto load = environment_.load_guard->look(group_.comm)) {
        const StretchJudge::Verdict verdict = judge_.judge(*load);
        if (verdict.again) {
          i -= reports_.size();
          reports_.clear();
        } else {
          flush(verdict.mark);
        }
      }
    }
    flush(0);
  }

 private:
  Report run_cell(const PlanCell& cell) {
    if (group_.rank == 0) environment_.report(CellBegun{cell});
    abort_if_asked(cell);
    return CellRunner(group_, cell, stop_, environment_).run();
  }

  void flush(double foreign_load) {
    for (Report& report : reports_) {
      if (auto* measured = std::get_if<CellMeasured>(&report))
        measured->foreign_load = foreign_load;
      if (group_.rank == 0) environment_.report(report);
    }
    reports_.clear();
  }

  const Group& group_;
  std::span<const PlanCell> cells_;
  const StopRule& stop_;
  const RankEnvironment& environment_;
  StretchJudge judge_;
  std::vector<Report> reports_;
};

}  // namespace

void measure(const Plan& plan, MPI_Comm world, const RankEnvironment& environment) {
  int world_rank = 0;
  MPI_Comm_rank(world, &world_rank);
  report_start(world, environment);
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
      GroupRunner(group, std::span(plan.cells).subspan(begin, end - begin), plan.stop, environment)
          .run();
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
