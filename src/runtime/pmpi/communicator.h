// SPDX-License-Identifier: BSD-3-Clause
// What this library keeps of a user's communicator: an attribute, made at its first collective and
// freed with it. Finding it again costs no call of MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "runtime/pmpi/chooser.h"
#include "runtime/pmpi/nodes.h"

namespace colltree {

enum class Kind : std::uint8_t {
  kLeftAlone,  // an intercommunicator, or ranks of another MPI_COMM_WORLD
  kOneRank,
  kDecided,
};

struct Communicator {
  std::atomic<std::uintptr_t> handle = 0;  // the user's; 0: not in use
  MPI_Comm comm = MPI_COMM_NULL;
  Kind kind = Kind::kLeftAlone;
  int rank = 0;
  int size = 0;
  Spread spread;
  MPI_Comm own = MPI_COMM_NULL;  // of our messages, made when the first is sent
  bool is_closed = false;        // it cannot be made
  bool has_sizeless = false;     // of a collective without a size that all ranks know:
  Choice sizeless;               //   its choice
  std::uint64_t calls = 0;       // counted by COLLTREE_CHECK
  Communicator* next = nullptr;  // among those not in use
};

// Once, after MPI_Init; returns an MPI error code. `nodes` must outlive everything here.
int begin_communicators(const Nodes* nodes) noexcept;
// Before MPI_Finalize: frees what hangs on MPI_COMM_WORLD and MPI_COMM_SELF.
void end_communicators() noexcept;

// Null: MPI_COMM_NULL, or something failed; leave the call to MPI. Local. Safe with
// MPI_THREAD_MULTIPLE for different communicators at once.
Communicator* communicator_of(MPI_Comm comm) noexcept;

// The communicator of our messages; collective at its first use. False: there can be none, on every
// rank.
bool open_own(Communicator& on) noexcept;

}  // namespace colltree
