// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/mpi_conductor.h"

#include <algorithm>

namespace colltree {

namespace {

constexpr double kSmallestWindow = 20e-6;
constexpr double kLargestWindow = 10;
// Until the first start: the broadcast that announces it must be over on every rank.
constexpr double kAnnouncement = 10 * kSmallestWindow;
constexpr double kLate = 1e9;  // seconds: longer than any collective

}  // namespace

void MpiConductor::enter(MPI_Comm comm) {
  comm_ = comm;
  MPI_Comm_rank(comm_, &rank_);
  window_ = kSmallestWindow;
}

Durations MpiConductor::run(std::size_t repetitions, const std::function<void(std::size_t)>& call) {
  MPI_Barrier(comm_);
  double schedule[2] = {0, window_};
  schedule[0] = clock_.now() + std::max(kAnnouncement, 2 * window_);
  MPI_Bcast(schedule, 2, MPI_DOUBLE, 0, comm_);
  std::vector<double> lasted(repetitions);
  for (std::size_t i = 0; i < repetitions; ++i) {
    const double start = schedule[0] + static_cast<double>(i) * schedule[1];
    const bool late = clock_.now() > start;
    clock_.wait_until(start);
    call(i);
    lasted[i] = late ? kLate : clock_.now() - start;
  }
  Durations longest(repetitions);
  MPI_Reduce(lasted.data(), longest.data(), static_cast<int>(repetitions), MPI_DOUBLE, MPI_MAX, 0,
             comm_);
  if (rank_ != 0) return {};
  const auto missed = static_cast<std::size_t>(std::ranges::count(longest, kLate));
  double usual = kSmallestWindow;
  for (double& duration : longest) {
    if (duration == kLate) {
      duration = -1;
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
