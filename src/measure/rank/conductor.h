// SPDX-License-Identifier: BSD-3-Clause
// The timing of one collective call: all ranks of a communicator start together, and the time is
// the last rank's end minus that common start (never the mean of rank 0).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace colltree {

// Seconds each repetition took, on rank 0 of the communicator. Negative entries do not count.
using Durations = std::vector<double>;
inline constexpr double kMissed = -1;     // a rank missed the common start
inline constexpr double kDisturbed = -2;  // a rank lost its processor to somebody else

// What is timed. `begin` and `end` run on every rank right before the first repetition and right
// after the last one, outside the times; either may be empty.
struct Timed {
  std::function<void(std::size_t)> call;
  std::function<void()> begin = {};
  std::function<void()> end = {};
};

class Conductor {
 public:
  virtual ~Conductor() = default;

  // Makes `comm` the group that starts together; `members` are its ranks 0..size-1 of
  // MPI_COMM_WORLD. Collective over comm.
  virtual void enter(MPI_Comm comm) = 0;

  // Runs `timed.call(i)` for i = 0..repetitions-1, each from a common start. Collective over comm.
  virtual Durations run(std::size_t repetitions, const Timed& timed) = 0;

  virtual double clock_error_us() const { return 0; }
};

}  // namespace colltree
