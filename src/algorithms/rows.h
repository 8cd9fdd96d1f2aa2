// SPDX-License-Identifier: BSD-3-Clause
// Declares the function that each row of the catalogue names. A row without its function is a link
// error.
#pragma once

#include "algorithms/algorithms.h"

namespace colltree {

#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  AlgorithmFunction code;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM

}  // namespace colltree
