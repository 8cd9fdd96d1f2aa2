// SPDX-License-Identifier: BSD-3-Clause
// A call as the MPI library itself carries it out.
#pragma once

#include "algorithms/collective_call.h"

namespace colltree {

int call_library(const CollectiveCall& call, MPI_Comm comm) noexcept;

}  // namespace colltree
