// SPDX-License-Identifier: BSD-3-Clause
// Pessimistic pruning with subtree raising, over all training cases (reference/c45-release8.md,
// section 7).
#pragma once

#include "model/c45/item_order.h"
#include "model/c45/tree.h"

namespace colltree::c45 {

struct PruneResult {
  Tree tree;             // compact; node errors are pessimistic estimates
  bool changed = false;  // some subtree was replaced: release 8 prints "Simplified Decision Tree"
};

// Exactly release 8's way, with its permutation: for unknown values and windowing. `order` holds
// all cases; weights are reset first.
PruneResult prune_ordered(const Tree& grown, const Schema& schema, const Cases& cases,
                          ItemOrder& order, float confidence);

// After pruning with -s: takes from the last branch of each grouped test the values that cannot
// occur there, and drops a last branch that has none left.
void drop_impossible_values(Tree& tree, const Schema& schema);

}  // namespace colltree::c45
