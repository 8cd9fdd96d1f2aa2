// SPDX-License-Identifier: BSD-3-Clause
// The repetitions of a cell: when they start on every rank, which of them count, and when there are
// enough. Numbers only; MpiConductor and CellRunner exchange and wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "protocol/plan.h"

namespace colltree::rank {

// One ping-pong between two clocks (GlobalClock of mpi_conductor.h exchanges the messages), all
// times in seconds: sent and received by rank 0's clock, answered by the other's.
struct PingPong {
  double sent = 0;
  double answered = 0;
  double received = 0;
};

struct OffsetEstimate {
  double offset = 0;  // rank 0's clock minus ours
  double error = 0;   // at most this wrong: half the smallest round trip
  double time = 0;    // our clock
};

// The estimate of the ping-pong with the smallest round trip. `trials` is not empty.
OffsetEstimate estimate_offset(const std::vector<PingPong>& trials);

// Offset at `clock_time` from past estimates: their least-squares line, or the newest while there
// are fewer than three.
double extrapolate_offset(const std::deque<OffsetEstimate>& estimates, double clock_time);

// Seconds each repetition took, on rank 0 of the communicator. Negative entries do not count.
using Durations = std::vector<double>;
inline constexpr double kMissed = -1;     // a rank missed the common start
inline constexpr double kDisturbed = -2;  // a rank lost its processor to somebody else

// Marks that a rank reports for a repetition in place of its seconds. They are longer than any
// collective, so that the largest of all ranks is the worst mark.
inline constexpr double kLate = 2e9;
inline constexpr double kLostCore = 1e9;

// Repetition i starts at first_start() + i * seconds() on every rank. The window grows when ranks
// miss starts, and follows the calls otherwise.
class StartWindow {
 public:
  double seconds() const { return seconds_; }
  double first_start(double now) const;  // both in seconds, by one clock

  // Takes the longest duration of each repetition over all ranks; marks become kMissed, kDisturbed.
  Durations settle(Durations longest);

 private:
  static constexpr double kSmallest = 20e-6;
  static constexpr double kLargest = 10;

  double seconds_ = kSmallest;
};

// How often a cell is still repeated: its stop rule at work, on rank 0.
class Sampling {
 public:
  // `stop` must outlive it. `clock_s` is looked at only where the stop rule needs it: in the
  // simulator a look takes time.
  Sampling(const protocol::StopRule& stop, std::function<double()> clock_s)
      : stop_(stop), clock_s_(std::move(clock_s)) {}

  // How long one call lasts, estimated from the warm-up.
  void expect(double call_s) { call_s_ = call_s; }

  std::size_t next_batch();  // repetitions; 0: enough
  void add(const Durations& batch);

  const std::vector<double>& samples_us() const { return samples_us_; }
  std::uint64_t discarded() const { return discarded_; }  // repetitions that do not count

 private:
  std::uint64_t tried() const { return samples_us_.size() + discarded_; }
  bool enough() const;
  double budget_s() const;
  std::uint64_t affordable() const;

  const protocol::StopRule& stop_;
  std::function<double()> clock_s_;
  double began_s_ = 0;
  double call_s_ = 0;
  std::vector<double> samples_us_;
  std::uint64_t discarded_ = 0;
};

}  // namespace colltree::rank
