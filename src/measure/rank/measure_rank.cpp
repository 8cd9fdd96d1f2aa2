// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/measure_rank.h"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/streams.h"
#include "measure/rank/at_once.h"
#include "measure/rank/measured_group.h"

namespace colltree {

namespace {

// By rank of `comm`, a number that is the node's own.
std::vector<int> nodes_of_ranks(MPI_Comm comm, const RankEnvironment& environment) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> nodes(static_cast<std::size_t>(size));
  if (environment.node_of) {
    for (int i = 0; i < size; ++i) nodes[static_cast<std::size_t>(i)] = environment.node_of(i);
    return nodes;
  }
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
  return nodes;
}

JobLayout layout_of(std::span<const int> nodes_of_ranks) {
  std::map<int, std::uint64_t> ranks;
  for (const int node : nodes_of_ranks) ++ranks[node];
  JobLayout layout{ranks.size(), 1};
  for (const auto& [node, its] : ranks)
    layout.ranks_per_node = std::max(layout.ranks_per_node, its);
  return layout;
}

std::string first_line(const char* text) { return std::string(text, std::strcspn(text, "\r\n")); }

std::optional<std::vector<int>> members_of_cell(std::span<const int> node_of,
                                                const PlanCell& cell) {
  if (cell.ranks_per_node != 0)
    return members_of(node_of, cell.communicator_size, cell.ranks_per_node);
  std::vector<int> first(cell.communicator_size);
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// `members`: ranks of the world, the communicator's in its order.
void measure_on(const std::vector<int>& members, std::span<const int> node_of,
                std::span<const PlanCell> cells, const Plan& plan, MPI_Comm world,
                const RankEnvironment& environment) {
  if (plan.at_once > 0 && cells.size() > 1) {
    const auto blocks =
        disjoint_blocks(node_of, cells.front().communicator_size, cells.front().ranks_per_node);
    if (blocks.size() > 1 && measure_at_once(blocks, node_of, cells, plan, world, environment))
      return;
  }
  const MeasuredGroup group({&members, 1}, node_of, world, environment);
  if (group.has_me()) group.measure(cells, plan.stop, environment);
}

// The job has no such communicator.
void refuse(std::span<const PlanCell> cells, const JobLayout& layout, MPI_Comm world,
            const RankEnvironment& environment) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  if (rank != 0) return;
  for (const PlanCell& cell : cells) {
    environment.report(CellFailed{
        cell,
        fmt::format("needs {} nodes of {} ranks; the job has {} nodes, the fullest with {}",
                    nodes_for(cell.communicator_size, cell.ranks_per_node), cell.ranks_per_node,
                    layout.nodes, layout.ranks_per_node),
        true});
  }
}

}  // namespace

JobLayout layout_of_job(MPI_Comm world, const RankEnvironment& environment) {
  return layout_of(nodes_of_ranks(world, environment));
}

void report_start(MPI_Comm world, const RankEnvironment& environment) {
  JobStarted job;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const JobLayout layout = layout_of_job(world, environment);
  job.nodes = layout.nodes;
  job.ranks_per_node = layout.ranks_per_node;
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
  const std::vector<int> node_of = nodes_of_ranks(world, environment);
  const auto communicator = [](const PlanCell& cell) {
    return std::pair(cell.communicator_size, cell.ranks_per_node);
  };
  const std::span<const PlanCell> all(plan.cells);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && communicator(all[end]) == communicator(all[begin])) ++end;
    const std::span<const PlanCell> cells = all.subspan(begin, end - begin);
    if (const auto members = members_of_cell(node_of, cells.front())) {
      measure_on(*members, node_of, cells, plan, world, environment);
    } else {
      refuse(cells, layout_of(node_of), world, environment);
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
