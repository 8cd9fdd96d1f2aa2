// SPDX-License-Identifier: BSD-3-Clause
// Declares the cost formula of every catalogue row: bcast_linear_us, reduce_binary_us, ... A row
// without its formula is a link error.
#pragma once

#include "parametric/cost_call.h"

namespace colltree::formula_rows {

using Formula = double(const CostCall& call);

#define COLLTREE_ALGORITHM(collective, algorithm, ...) Formula collective##_##algorithm##_us;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM

}  // namespace colltree::formula_rows
