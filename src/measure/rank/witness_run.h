// SPDX-License-Identifier: BSD-3-Clause
// A job that times nothing: it makes every call of a plan once and says what ran. The plan's
// methods are "default", the library as it was started, and what it would do otherwise
// (measure/report_line.h: kBuiltinAlgorithm and its neighbours).
#pragma once

#include "measure/plan.h"

namespace colltree {

// Collective over MPI_COMM_WORLD. Rank 0 prints the variables that are set (set_variables.h), then
// a witness line a cell.
void run_witness(const Plan& plan);

}  // namespace colltree
