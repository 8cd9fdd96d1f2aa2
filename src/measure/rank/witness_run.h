// SPDX-License-Identifier: BSD-3-Clause
// A job that times nothing: it makes every call of a plan once and says what ran. The plan's
// methods are "default", the library with its rules file, and "builtin", the same without.
#pragma once

#include "measure/plan.h"

namespace colltree {

// Collective over MPI_COMM_WORLD. Rank 0 prints a witness line (measure/report_line.h) a cell.
void run_witness(const Plan& plan);

}  // namespace colltree
