// SPDX-License-Identifier: BSD-3-Clause
// What happens in a collective call of the program: which method, and its run.
#pragma once

#include "algorithms/collective_call.h"

namespace colltree {

// The call's MPI return code; its errors were raised on `comm`. Needs a job (job.h).
int perform(const CollectiveCall& call, MPI_Comm comm) noexcept;

}  // namespace colltree
