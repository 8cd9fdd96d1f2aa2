// SPDX-License-Identifier: BSD-3-Clause
// What the MPI library in this process says of its own algorithms.
#pragma once

#include <map>
#include <string>

#include "coll/library_algorithms.h"
#include "measure/rank/control_variables.h"

namespace colltree {

// "coll_tuned_bcast_algorithm", "MPIR_CVAR_BCAST_INTRA_ALGORITHM".
std::string algorithm_variable(Library library, Collective collective);
// MPICH's "MPIR_CVAR_IBCAST_INTRA_ALGORITHM".
std::string nonblocking_variable(Collective collective);

// Name (as told_name has it) and number of each; empty: the library does not tell.
std::map<std::string, int> told_algorithms(const ControlVariables& variables, Library library,
                                           Collective collective);

}  // namespace colltree
