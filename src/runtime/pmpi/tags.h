// SPDX-License-Identifier: BSD-3-Clause
// The tags that tell the messages of the user's communicators apart on our one communicator of all
// ranks. None is made for a communicator of the user's: MPICH has room for two thousand, which are
// the user's, and Open MPI lets threads that make some over groups that overlap wait for each other
// for ever.
#pragma once

#include <mpi.h>

namespace colltree {

inline constexpr int kRecordTag = 1;  // 0 is MPI_COMM_WORLD's

// Once, after MPI_Init; collective over `world`. Returns an MPI error code.
int begin_tags(MPI_Comm world) noexcept;

// A tag that no rank of `comm` uses for another communicator; collective over it. An MPI error code
// on every rank when there is none, or a rank is not ready.
int agree_on_free_tag(MPI_Comm comm, bool is_ready, int* tag) noexcept;

// On this rank no message of the tag's communicator is under way any more: its last collective has
// ended, and with it all that was sent to this rank.
void release_tag(int tag) noexcept;

}  // namespace colltree
