// SPDX-License-Identifier: BSD-3-Clause
// How long ranks wait in a collective for the last of them, while a record is written. Some calls
// are sampled: behind the call its ranks tell each other, by a small allreduce, when they came by a
// clock that they share. The calls are the same on all ranks, because the number of the call
// and what all ranks exchanged decide alone. One of 2^k, where k is chosen so that the exchanges
// take less than 1 % of the time of the calls.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace colltree::algorithms {
struct CollectiveCall;
}

namespace colltree::runtime {

struct Communicator;

// The calls of a collective on a communicator, as this rank counts them. The times are this rank's;
// the numbers are the same on all ranks.
struct Sampling {
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  std::uint64_t newest = 0;  // number of the call that was sampled last; 0: none
  std::uint64_t next = 4;    // number of the call to sample
  std::uint64_t time_ns = 0;
  std::uint64_t cost_ns = 0;
};

// This rank's clock plus an offset is that of the communicator's rank 0: a line through the two
// newest estimates, each by ping-pong, because clocks of different nodes drift. In nanoseconds.
struct ClockLine {
  double offset = 0;
  double slope = 0;
  double local = 0;  // this rank's clock at the newest estimate
  // The shared clock, the same on all ranks: at the first estimate (-1: none was made), at the
  // newest, and when the last rank came to the newest sample.
  double first = -1;
  double newest = 0;
  double sampled = 0;

  double shared(double time) const { return time + offset + slope * (time - local); }
};

// The ranks found this out about a call.
struct Waited {
  std::uint64_t stands_for = 0;  // calls, itself one of them; 0: the call was not sampled
  std::uint64_t waiting_ns = 0;  // of this rank
  int late_rank = 0;             // in MPI_COMM_WORLD: the one that was waited for
};

// Once, after MPI_Init; and before MPI_Finalize. Local. Returns an MPI error code.
int begin_waiting() noexcept;
void end_waiting() noexcept;

// Behind every call of `on`, which took from `begin_ns` to `end_ns`; collective where the call is
// sampled. Nothing is sampled where a rank may be lost: it would be waited for.
Waited find_waiting(const algorithms::CollectiveCall& call, Communicator& on, int world_rank,
                    std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;

}  // namespace colltree::runtime
