// SPDX-License-Identifier: BSD-3-Clause
// The communicator on which our algorithms speak for a user's communicator: same ranks, its own
// message space, so that no wildcard receive of the user ever sees our messages.
#pragma once

#include <mpi.h>

namespace colltree::algorithms {

// Collective over `comm` (an intracommunicator) at its first use, then an attribute look-up. The
// private communicator is an attribute of `comm` and is freed with it, MPI_COMM_WORLD's when
// MPI_Finalize begins. Errors on it return codes. Safe with MPI_THREAD_MULTIPLE, for different
// communicators at once. Returns an MPI error code.
int private_communicator(MPI_Comm comm, MPI_Comm* result);

// Frees it now (collective); nothing happens where there is none.
int release_private_communicator(MPI_Comm comm);

}  // namespace colltree::algorithms
