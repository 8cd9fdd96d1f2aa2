// SPDX-License-Identifier: BSD-3-Clause
#include "rank/mpi_conductor.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <utility>
#include <vector>

namespace colltree::rank {

namespace {

constexpr int kTag = 1;
constexpr int kTrials = 40;
constexpr std::size_t kKept = 8;

// Rank 0 of `leaders` asks rank `other` for its time, kTrials times; `other` gets the trials.
std::vector<PingPong> exchange(MPI_Comm leaders, int rank, int peer, double (*clock)()) {
  std::vector<PingPong> trials(kTrials);
  for (PingPong& trial : trials) {
    if (rank == 0) {
      trial.sent = clock();
      MPI_Send(nullptr, 0, MPI_DOUBLE, peer, kTag, leaders);
      MPI_Recv(&trial.answered, 1, MPI_DOUBLE, peer, kTag, leaders, MPI_STATUS_IGNORE);
      trial.received = clock();
    } else {
      MPI_Recv(nullptr, 0, MPI_DOUBLE, 0, kTag, leaders, MPI_STATUS_IGNORE);
      const double answered = clock();
      MPI_Send(&answered, 1, MPI_DOUBLE, 0, kTag, leaders);
    }
  }
  const int doubles = 3 * kTrials;
  if (rank == 0) MPI_Send(trials.data(), doubles, MPI_DOUBLE, peer, kTag, leaders);
  if (rank == peer)
    MPI_Recv(trials.data(), doubles, MPI_DOUBLE, 0, kTag, leaders, MPI_STATUS_IGNORE);
  return trials;
}

double raw_clock() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// That the ranks of a node may run on, all of them together: a batch system, a container or a
// binding may leave fewer than the node has.
int cores_of(MPI_Comm node) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0)
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t cores;
  MPI_Allreduce(&mine, &cores, sizeof mine, MPI_BYTE, MPI_BOR, node);
  return CPU_COUNT(&cores);
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

GlobalClock::GlobalClock(MPI_Comm world) : world_(world) {
  const int rank = rank_in(world_);
  MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_);
  cores_ = cores_of(node_);
  oversubscribed_ = size_of(node_) > cores_;
  MPI_Comm_split(world_, rank_in(node_) == 0 ? 0 : MPI_UNDEFINED, rank, &leaders_);
  synchronise();
}

GlobalClock::~GlobalClock() {
  if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
  if (node_ != MPI_COMM_NULL) MPI_Comm_free(&node_);
}

void GlobalClock::synchronise() {
  double line[3] = {0, 0, 0};  // offset at local time 0, slope, error
  if (leaders_ != MPI_COMM_NULL) {
    const int rank = rank_in(leaders_);
    const int size = size_of(leaders_);
    for (int peer = 1; peer < size; ++peer) {
      if (rank != 0 && rank != peer) continue;
      const std::vector<PingPong> trials = exchange(leaders_, rank, peer, raw_clock);
      if (rank == peer) estimates_.push_back(estimate_offset(trials));
    }
    if (estimates_.size() > kKept) estimates_.pop_front();
    if (!estimates_.empty()) {
      const double here = raw_clock();
      line[0] = extrapolate_offset(estimates_, here);
      line[1] = extrapolate_offset(estimates_, here + 1) - line[0];
      line[0] -= line[1] * here;
      line[2] = estimates_.back().error;
    }
  }
  MPI_Bcast(line, 3, MPI_DOUBLE, 0, node_);
  slope_offset_ = line[0];
  slope_ = line[1];
  MPI_Allreduce(&line[2], &error_, 1, MPI_DOUBLE, MPI_MAX, world_);
}

double GlobalClock::now() const {
  const double local = raw_clock();
  return local + slope_offset_ + slope_ * local;
}

void GlobalClock::wait_until(double time) const {
  while (now() < time) {
    if (oversubscribed_) sched_yield();
  }
}

bool MpiConductor::everywhere(bool mine) {
  int value = mine ? 1 : 0;
  int conjunction = 0;
  MPI_Allreduce(&value, &conjunction, 1, MPI_INT, MPI_LAND, comm_);
  return conjunction != 0;
}

void MpiConductor::enter(MPI_Comm comm) {
  comm_ = comm;
  rank_ = rank_in(comm_);
  window_ = {};
}

Durations MpiConductor::run(std::size_t repetitions, const Timed& timed) {
  MPI_Barrier(comm_);
  double schedule[2] = {window_.first_start(clock_.now()), window_.seconds()};
  MPI_Bcast(schedule, 2, MPI_DOUBLE, 0, comm_);
  if (timed.begin) timed.begin();
  std::vector<double> lasted(repetitions);
  for (std::size_t i = 0; i < repetitions; ++i) {
    const double start = schedule[0] + static_cast<double>(i) * schedule[1];
    const bool late = clock_.now() > start;
    const long switches = clock_.oversubscribed() ? 0 : involuntary_switches();
    clock_.wait_until(start);
    timed.call(i);
    lasted[i] = clock_.now() - start;
    if (!clock_.oversubscribed() && involuntary_switches() != switches) lasted[i] = kLostCore;
    if (late) lasted[i] = kLate;
  }
  if (timed.end) timed.end();
  Durations longest(repetitions);
  MPI_Reduce(lasted.data(), longest.data(), static_cast<int>(repetitions), MPI_DOUBLE, MPI_MAX, 0,
             comm_);
  if (rank_ != 0) return {};
  return window_.settle(std::move(longest));
}

}  // namespace colltree::rank
