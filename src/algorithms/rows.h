// SPDX-License-Identifier: BSD-3-Clause
// Declares the function of every catalogue row: bcast_linear, reduce_binary, ... A row without its
// function is a link error.
#pragma once

#include "algorithms/algorithms.h"

namespace colltree::rows {

#define COLLTREE_ALGORITHM(collective, algorithm, ...) AlgorithmFunction collective##_##algorithm;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM

}  // namespace colltree::rows
