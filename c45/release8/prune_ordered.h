// SPDX-License-Identifier: BSD-3-Clause
// Pruning exactly as release 8 does it (reference/c45-release8.md, section 7).
#pragma once

#include "model/c45/prune.h"
#include "release8/item_order.h"

namespace colltree::c45 {

// With release 8's permutation, for unknown values and windowing. `order` holds all cases; weights
// are reset first.
PruneResult prune_ordered(const Tree& grown, const Schema& schema, const Cases& cases,
                          ItemOrder& order, float confidence);

}  // namespace colltree::c45
