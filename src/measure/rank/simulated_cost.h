// SPDX-License-Identifier: BSD-3-Clause
// The cost of local work in the simulator, which itself only charges messages: reductions and
// copies, per byte, as the platform file states them (colltree/reduce_ns_per_byte,
// colltree/copy_ns_per_byte).
#pragma once

#include <mpi.h>

#include <cstddef>

namespace colltree {

// Reads the platform's properties; call it after the platform is loaded. Throws Error.
void load_simulated_cost();

void charge_copy(std::size_t bytes);

// MPI_SUM on 32-bit integers and MPI_BXOR on bytes that charge their cost, so that the library's
// own algorithms pay it like ours. Created per rank after MPI_Init; freed by the caller.
MPI_Op make_charged_sum();
MPI_Op make_charged_exclusive_or();

}  // namespace colltree
