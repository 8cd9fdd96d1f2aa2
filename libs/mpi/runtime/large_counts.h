// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions with large counts for each rank (MPI_Allgatherv_c), as those with int counts.
#pragma once

#include "algorithms/collective_call.h"
#include "runtime/record.h"

#ifdef COLLTREE_HAS_LARGE_COUNTS

namespace colltree::runtime {

// The arrays of one side as the program passes them; null: it has none.
struct LargeCounts {
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displacements = nullptr;
};

// Performs the call, `*rc` is its return code. False, at all ranks alike: the MPI library must
// carry it out, because its counts are no int everywhere or its choice is the library's. Needs a
// job.
bool perform_large(algorithms::CollectiveCall call, const LargeCounts& sent,
                   const LargeCounts& received, MPI_Comm comm, int* rc) noexcept;

}  // namespace colltree::runtime

#endif
