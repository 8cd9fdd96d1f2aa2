// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/mpi_conductor.h"

#include <sys/resource.h>

#include <algorithm>

namespace colltree {

namespace {

constexpr double kSmallestWindow = 20e-6;
constexpr double kLargestWindow = 10;
// Until the first start: the broadcast that announces it must be over on every rank.
constexpr double kAnnouncement = 10 * kSmallestWindow;
// Longer than any collective, in seconds; the worst mark of any rank is the repetition's.
constexpr double kLate = 2e9;
constexpr double kLostCore = 1e9;

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

void MpiConductor::enter(MPI_Comm comm) {
  comm_ = comm;
  MPI_Comm_rank(comm_, &rank_);
  window_ = kSmallestWindow;
}

Durations MpiConductor::run(std::size_t repetitions, const Timed& timed) {
  MPI_Barrier(comm_);
  double schedule[2] = {0, window_};
  schedule[0] = clock_.now() + std::max(kAnnouncement, 2 * window_);
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
  const auto missed = static_cast<std::size_t>(std::ranges::count(longest, kLate));
  double usual = kSmallestWindow;
  for (double& duration : longest) {
    if (duration == kLate) {
      duration = kMissed;
    } else if (duration == kLostCore) {
      duration = kDisturbed;
    } else {
      usual = std::max(usual, duration);
    }
  }
  // A tenth missed is fine (interrupts); more means that calls run into the next start.
  const bool overrun = 10 * missed > repetitions;
  window_ = std::clamp(overrun ? 4 * window_ : 2 * usual, kSmallestWindow, kLargestWindow);
  return longest;
}

}  // namespace colltree
