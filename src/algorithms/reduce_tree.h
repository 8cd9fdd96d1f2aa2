// SPDX-License-Identifier: BSD-3-Clause
// Reductions up a tree to one rank: r.root, whose r.result takes it.
#pragma once

#include "algorithms/reduction.h"
#include "algorithms/trees.h"

namespace colltree {

// In rank order where the operation asks for it, else the tree stands on the root.
int reduce_along(TreeShape* shape, const Reduction& r, const Context& context);
// Up a tree in the call's ranks, whose root is r.root; for operations that commute.
int reduce_up(const Tree& tree, const Reduction& r, const Context& context);
// Always in rank order: the tree stands on the highest rank.
int reduce_in_order(TreeShape* shape, const Reduction& r, const Context& context);

}  // namespace colltree
