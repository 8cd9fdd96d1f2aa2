// SPDX-License-Identifier: BSD-3-Clause
#include "rank/measure_rank.h"

#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/streams.h"
#include "base/text.h"
#include "rank/at_once.h"

namespace colltree::rank {

namespace {

constexpr double kShortest = 0.1;  // seconds: ten ticks of each core

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

LoadGuard::LoadGuard(MPI_Comm world, int cores) : cores_(cores) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank_in(world), MPI_INFO_NULL, &node);
  first_of_node_ = rank_in(node) == 0;
  MPI_Comm_free(&node);
  start();
}

void LoadGuard::start() {
  begin_ = now();
  began_s_ = MPI_Wtime();
}

std::optional<double> LoadGuard::look(MPI_Comm comm) {
  int long_enough = MPI_Wtime() - began_s_ >= kShortest ? 1 : 0;
  MPI_Bcast(&long_enough, 1, MPI_INT, 0, comm);
  if (long_enough == 0) return std::nullopt;
  const ProcessorTime end = now();
  const double mine[3] = {end.busy_s - begin_.busy_s, end.capacity_s - begin_.capacity_s,
                          end.own_s - begin_.own_s};
  double sums[3] = {0, 0, 0};
  MPI_Allreduce(mine, sums, 3, MPI_DOUBLE, MPI_SUM, comm);
  start();
  return foreign_share({sums[0], sums[1], sums[2]});
}

std::uint64_t LoadGuard::shared_cores(MPI_Comm comm, int here) const {
  int fewest = here > cores_ ? cores_ : INT_MAX;
  MPI_Allreduce(MPI_IN_PLACE, &fewest, 1, MPI_INT, MPI_MIN, comm);
  return fewest == INT_MAX ? 0 : static_cast<std::uint64_t>(fewest);
}

void LoadGuard::wait() const {
  const double rest_s = kShortest - (MPI_Wtime() - began_s_);
  if (rest_s > 0) usleep(static_cast<useconds_t>(rest_s * 1e6) + 1);
}

ProcessorTime LoadGuard::now() const {
  ProcessorTime time;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  time.own_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  if (!first_of_node_) return time;
  if (std::FILE* file = std::fopen("/proc/stat", "r"); file != nullptr) {
    char line[256] = "";
    if (std::fgets(line, sizeof line, file) != nullptr)
      parse_processor_line(line, static_cast<double>(sysconf(_SC_CLK_TCK)), time);
    std::fclose(file);
  }
  return time;
}

namespace {

// A number for each rank of `comm` that is the same for all ranks of its node and no other.
std::vector<int> nodes_of_ranks(MPI_Comm comm, const RankEnvironment& environment) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
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

protocol::JobLayout layout_of(std::span<const int> nodes_of_ranks) {
  std::map<int, std::uint64_t> ranks;
  for (const int node : nodes_of_ranks) ++ranks[node];
  protocol::JobLayout layout{ranks.size(), 1};
  for (const auto& [node, its] : ranks)
    layout.ranks_per_node = std::max(layout.ranks_per_node, its);
  return layout;
}

std::optional<std::vector<int>> members_of_cell(std::span<const int> node_of,
                                                const protocol::PlanCell& cell) {
  if (cell.instance.ranks_per_node != 0)
    return protocol::members_of(node_of, cell.instance.communicator_size,
                                cell.instance.ranks_per_node);
  std::vector<int> first(cell.instance.communicator_size);
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// `members`: ranks of the world, the communicator's in its order.
void measure_on(const std::vector<int>& members, std::span<const int> node_of,
                std::span<const protocol::PlanCell> cells, const protocol::Plan& plan,
                MPI_Comm world, const RankEnvironment& environment) {
  if (plan.at_once > 0 && cells.size() > 1) {
    const auto blocks = protocol::disjoint_blocks(node_of, cells.front().instance.communicator_size,
                                                  cells.front().instance.ranks_per_node);
    if (blocks.size() > 1 && measure_at_once(blocks, node_of, cells, plan, world, environment))
      return;
  }
  const MeasuredGroup group({&members, 1}, node_of, world, environment);
  if (group.has_me()) group.measure(cells, plan.stop, environment);
}

// The job has no such communicator.
void refuse(std::span<const protocol::PlanCell> cells, const protocol::JobLayout& layout,
            MPI_Comm world, const RankEnvironment& environment) {
  if (rank_in(world) != 0) return;
  for (const protocol::PlanCell& cell : cells) {
    environment.report(protocol::failed_cell(
        cell,
        concat("needs ",
               protocol::nodes_for(cell.instance.communicator_size, cell.instance.ranks_per_node),
               " nodes of ", cell.instance.ranks_per_node, " ranks; the job has ", layout.nodes,
               " nodes, the fullest with ", layout.ranks_per_node),
        true));
  }
}

}  // namespace

protocol::JobLayout layout_of_job(MPI_Comm world, const RankEnvironment& environment) {
  return layout_of(nodes_of_ranks(world, environment));
}

void report_start(MPI_Comm world, const RankEnvironment& environment) {
  protocol::JobStarted job;
  job.layout = layout_of_job(world, environment);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  job.mpi_library = std::string(text, std::strcspn(text, "\r\n"));
  MPI_Get_processor_name(text, &length);
  job.host = text;
  job.ranks = static_cast<std::uint64_t>(size_of(world));
  job.clock_error_us = environment.conductor->clock_error_us();
  if (rank_in(world) == 0) environment.report(job);
}

void measure(const protocol::Plan& plan, MPI_Comm world, const RankEnvironment& environment) {
  const std::vector<int> node_of = nodes_of_ranks(world, environment);
  const auto communicator = [](const protocol::PlanCell& cell) {
    return std::pair(cell.instance.communicator_size, cell.instance.ranks_per_node);
  };
  const std::span<const protocol::PlanCell> every_cell(plan.cells);
  for (std::size_t begin = 0; begin < every_cell.size();) {
    std::size_t end = begin;
    while (end < every_cell.size() &&
           communicator(every_cell[end]) == communicator(every_cell[begin]))
      ++end;
    const std::span<const protocol::PlanCell> cells = every_cell.subspan(begin, end - begin);
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
    with_output([&] { write_output(lines); });
  } catch (const std::exception& error) {
    say(concat("colltree-measure: ", error.what(), "\n"));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace colltree::rank
