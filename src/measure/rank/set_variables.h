// SPDX-License-Identifier: BSD-3-Clause
// Who has set the control variables that collectives depend on: a site's file, the environment.
#pragma once

#include <vector>

#include "measure/rank/control_variables.h"
#include "measure/report_line.h"

namespace colltree {

// Every variable of Open MPI's coll framework or of MPICH that has not its default value, and the
// priority of each coll component. Open MPI says itself where a value comes from (its internal
// mca_base_var_get_value; "the environment" is also what mpirun --mca makes); of MPICH it is looked
// up in the environment, the only place where it reads them. Works after MPI_Init.
std::vector<LibraryVariable> set_variables(const ControlVariables& variables);

}  // namespace colltree
