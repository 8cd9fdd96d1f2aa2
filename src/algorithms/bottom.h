// SPDX-License-Identifier: BSD-3-Clause
// Reductions of what MPI_BOTTOM and a type of absolute addresses describe. Only an operation of the
// user's takes such a type.
#pragma once

#include "algorithms/algorithms.h"

namespace colltree {

// Runs the row on this rank's copies where a buffer of it is MPI_BOTTOM, because to a row a null
// pointer is no buffer.
int run_row(const Algorithm& row, const CollectiveCall& call, const CallFacts& facts,
            const Context& context);

}  // namespace colltree
