// SPDX-License-Identifier: BSD-3-Clause
// A collective in a communicator of one rank.
#pragma once

#include "algorithms/algorithms.h"

namespace colltree {

// Copies what the rank sends to where it receives; sends no message.
int run_alone(const CollectiveCall& call, const Context& context);

}  // namespace colltree
