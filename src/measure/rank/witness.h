// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm functions of Open MPI ran: the program defines functions of the same names, which
// count and go on to the library's. Only the openmpi flavour on x86-64; elsewhere nothing is seen.
#pragma once

#include <string>
#include <vector>

#include "coll/collective.h"

namespace colltree {

bool has_witness();
void reset_witness();
// Ids of the collective's algorithms that ran since the last reset, ascending.
std::vector<int> witnessed_ids(Collective collective);

}  // namespace colltree
