// SPDX-License-Identifier: BSD-3-Clause
// Jobs that go on when a rank is lost (ULFM; Open MPI 5 with --with-ft ulfm). There each
// communicator of the user's has one of ours, so that a revocation of the first reaches the second
// and nothing else.
#pragma once

#include <mpi.h>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
#define COLLTREE_HAS_ULFM
#endif
#endif

namespace colltree {

bool is_fault_tolerant() noexcept;

// Whoever waits in `comm` on any rank gets an error. Nothing without fault tolerance.
void revoke(MPI_Comm comm) noexcept;

// Whether all ranks of `comm` that are left say yes; collective.
bool agree_in_spite_of_failures(MPI_Comm comm, bool yes) noexcept;

// What an error of messages on `comm` means where the message says no more than that one of several
// went wrong: that a rank was lost, or the communicator revoked. Other errors stay.
int explain_failure_on(MPI_Comm comm, int error) noexcept;

}  // namespace colltree
