// SPDX-License-Identifier: BSD-3-Clause
// Which calls MPI would refuse: they go to MPI, so that error, error class and error handler are
// its own.
#pragma once

#include "algorithms/collective_call.h"
#include "runtime/communicator.h"

namespace colltree::runtime {

// Once, after MPI_Init: makes what operations are tried on. Returns an MPI error code.
int begin_legality() noexcept;
void end_legality() noexcept;  // before MPI_Finalize

// True if the call's message size can be computed: root, counts and types that this rank must give
// are valid. Cheap: every call passes here.
bool is_sizeable(const algorithms::CollectiveCall& call, const Communicator& on) noexcept;

// The rest, for a call that is_sizeable: buffers, MPI_IN_PLACE, aliasing, operation.
bool is_legal(const algorithms::CollectiveCall& call, const Communicator& on) noexcept;

}  // namespace colltree::runtime
