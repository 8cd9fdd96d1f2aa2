// SPDX-License-Identifier: BSD-3-Clause
// COLLTREE_CHECK: do all ranks make the same call and choose the same method?
#pragma once

#include "algorithms/collective_call.h"
#include "runtime/pmpi/communicator.h"

namespace colltree {

// Collective. False on every rank when two ranks differ, which the communicator's rank 0 says in
// one line.
bool agree(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
           const Choice& choice) noexcept;

}  // namespace colltree
