// SPDX-License-Identifier: BSD-3-Clause
// How the messages of our methods travel: on our one communicator of all ranks, where tags tell
// those of the user's communicators apart. None is made for a communicator of the user's: MPICH has
// room for two thousand, which are the user's, and Open MPI lets threads that make some over groups
// that overlap wait for each other for ever. Unless a rank may be lost.
#pragma once

#include <mpi.h>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
#define COLLTREE_HAS_ULFM
#endif
#endif

namespace colltree::runtime {

inline constexpr int kRecordTag = 1;  // 0 is MPI_COMM_WORLD's

// Once, after MPI_Init; collective over `world`. Returns an MPI error code.
int begin_tags(MPI_Comm world) noexcept;

// True, on all ranks alike, if threads of a rank may be in collectives of several communicators at
// once.
bool threads_may_meet() noexcept;

// A tag that no rank of `comm` uses for another communicator; collective over it. An MPI error code
// on every rank when there is none, or a rank is not ready.
int agree_on_free_tag(MPI_Comm comm, bool is_ready, int* tag) noexcept;

// On this rank no message of the tag's communicator is under way any more: its last collective has
// ended, and with it all that was sent to this rank.
void release_tag(int tag) noexcept;

// Jobs that continue when a rank is lost (ULFM; Open MPI 5 with --with-ft ulfm). In such a job each
// communicator of the user's has a communicator of ours, so that a revocation of the first reaches
// the second and nothing else.
bool is_fault_tolerant() noexcept;

// Every rank that waits in `comm` gets an error. Does nothing without fault tolerance.
void revoke(MPI_Comm comm) noexcept;

// Sets an error handler on `private_comm`, a communicator of ours: the first rank whose message
// fails because a rank was lost revokes it. The ranks that wait for that rank, and not for the lost
// rank, get an error by this, before a method ends its other messages or continues with empty ones.
int revoke_on_failure(MPI_Comm private_comm) noexcept;

// True if all ranks of `comm` that are left say yes; collective.
bool agree_in_spite_of_failures(MPI_Comm comm, bool yes) noexcept;

// The error that the caller of a method gets, which returned `error` on `private_comm`, our
// communicator for `users`: that `users` was revoked or that a rank was lost, if `private_comm` was
// revoked or `error` is MPI_ERR_OTHER and a second shows a loss. Other errors stay as they are.
int explain_failure(MPI_Comm users, MPI_Comm private_comm, int error) noexcept;

}  // namespace colltree::runtime
