// SPDX-License-Identifier: BSD-3-Clause
// Declares the function of every catalogue row: bcast_linear, reduce_binary, ... A row without its
// function is a link error.
#pragma once

#include "algorithms/algorithms.h"

namespace colltree::rows {

using function_of_bcast = BcastFunction;
using function_of_reduce = ReduceFunction;
using function_of_alltoall = AlltoallFunction;

#define COLLTREE_ALGORITHM(collective, algorithm, ...) \
  function_of_##collective collective##_##algorithm;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM

}  // namespace colltree::rows
