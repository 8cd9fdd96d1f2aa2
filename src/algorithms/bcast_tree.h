// SPDX-License-Identifier: BSD-3-Clause
// What the broadcasts along a tree share.
#pragma once

#include "algorithms/transfer.h"
#include "algorithms/trees.h"

namespace colltree {

// Passes bytes down the tree, segment by segment: receives from the parent, if there is one, and
// sends to each child, the last child first. The next segment's receive is posted before this one
// is forwarded, so that segments follow each other down the tree. Context::requests sends of a rank
// may be in flight; 0: one.
int relay(const Tree& tree, std::byte* data, std::size_t bytes, const Context& context);

// The whole broadcast along a tree in the call's ranks.
int bcast_along(const Tree& tree, const CollectiveCall& call, const Context& context);

}  // namespace colltree
