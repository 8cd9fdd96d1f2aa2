// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/load_guard.h"

#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

namespace colltree {

namespace {

constexpr double kShortest = 0.1;  // seconds: ten ticks of each core

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

LoadGuard::LoadGuard(MPI_Comm world, int cores) : cores_(cores) {
  int rank = 0;
  int node_rank = 0;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_free(&node);
  first_of_node_ = node_rank == 0;
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
  double all[3] = {0, 0, 0};
  MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  start();
  return foreign_share({all[0], all[1], all[2]});
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

}  // namespace colltree
