// SPDX-License-Identifier: BSD-3-Clause
// One buffer for both sides of a call. The standard forbids it; MPICH refuses it where it sees it,
// Open MPI carries most of it out. What the library refuses must come to it, what it accepts must
// not: other ranks cannot know of it.
#pragma once

#include "algorithms/collective_call.h"

namespace colltree {

// Once: tries what the library refuses on `alone`, a communicator of this rank whose errors return.
void ask_about_aliases(MPI_Comm alone) noexcept;

// `sends` and `receives`: what buffers mean something at this rank.
bool is_refused_alias(const CollectiveCall& call, int rank, bool sends, bool receives) noexcept;

}  // namespace colltree
