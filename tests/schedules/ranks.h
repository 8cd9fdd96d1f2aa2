// SPDX-License-Identifier: BSD-3-Clause
// A job of virtual ranks, run by one thread, and what its messages were. Time is counted in rounds:
// a message takes one, begins when both its sides are posted, and a rank sends as many messages and
// receives as many at a time as it has ports; all else takes no time. Or time goes by a network as
// the cost formulas have it (parametric/formulas.h): a message is on its way whether or not its
// receiver waits, what one rank sends, and what it receives, follows each other by the gap, and
// folding takes time. Or time does not count and sends are eager: a sender that need not wait goes
// on, and one rank has its turn only where no other can go on.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "parametric/formulas.h"

namespace colltree::test {

// MPI_Op and MPI_Datatype of the reductions here. Both kinds tell a contribution that is missing,
// or there twice; the second also tells the order.
inline constexpr MPI_Op kSums = 1;      // of 64-bit words, modulo 2^64
inline constexpr MPI_Op kComposes = 2;  // of maps x -> a x + b, modulo 2^64: does not commute
inline constexpr MPI_Op kJoins = 3;     // of names of sums (joined): commutes, is not associative
inline constexpr MPI_Datatype kWord = MPI_UINT64_T;
inline constexpr MPI_Datatype kMap = 0x910;

struct Map {
  std::uint64_t a;
  std::uint64_t b;
};

// The name of the sum of two: of a and b as of b and a.
std::uint64_t joined(std::uint64_t a, std::uint64_t b);

struct Traffic {
  bool deadlock = false;
  bool failed = false;         // a rank's call returned an error, or messages were left over
  double time = 0;             // until the last rank was done: rounds, or microseconds
  double first_done = 0;       // when the first was
  std::uint64_t messages = 0;  // in all
  std::uint64_t bytes = 0;     // in all
  std::uint64_t messages_between = 0;  // nodes
  std::uint64_t bytes_between = 0;
  std::uint64_t most_sent = 0;  // bytes, by one rank
  std::uint64_t most_received = 0;
  // Messages that had come to one rank before it asked for them, at a time; of eager sends only.
  std::uint64_t most_unexpected = 0;
};

struct Job {
  int size = 0;
  int ports = 1;
  int late = -1;                      // this rank begins in round kLate, all others in round 0
  std::span<const int> node_of = {};  // by rank; empty: all on one node
  const parametric::Network* network = nullptr;  // null: rounds
  int last = -1;  // sends are eager, and this rank has its turn last; -1: as above
};
inline constexpr int kLate = 4096;

// Calls body(rank) on each rank, which returns an MPI error code. Where ranks wait for ever their
// stacks are given up, with what they hold.
Traffic run_ranks(const Job& job, const std::function<int(int rank)>& body);

// What a rank does within it. A transfer is one side of a message; waiting for it ends it.
int this_rank();
int ranks_of_job();
enum class Side { kSend, kSynchronousSend, kReceive };
Transfer* post(Side side, void* data, int bytes, int peer);
int wait_for(Transfer* one, MPI_Status* status);
void fold(std::size_t bytes);  // nothing outside a job

}  // namespace colltree::test
