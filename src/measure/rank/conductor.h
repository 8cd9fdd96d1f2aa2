// SPDX-License-Identifier: BSD-3-Clause
// The timing of one collective call: all ranks of a communicator start together, and the time is
// the last rank's end minus that common start (never the mean of rank 0).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace colltree {

// Seconds each repetition took, on rank 0 of the communicator; a negative entry missed the common
// start and does not count.
using Durations = std::vector<double>;

class Conductor {
 public:
  virtual ~Conductor() = default;

  // Makes `comm` the group that starts together; `members` are its ranks 0..size-1 of
  // MPI_COMM_WORLD. Collective over comm.
  virtual void enter(MPI_Comm comm) = 0;

  // Runs `call(i)` for i = 0..repetitions-1, each from a common start. Collective over comm.
  virtual Durations run(std::size_t repetitions, const std::function<void(std::size_t)>& call) = 0;

  virtual double clock_error_us() const { return 0; }
};

}  // namespace colltree
