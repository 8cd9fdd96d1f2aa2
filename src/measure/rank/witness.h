// SPDX-License-Identifier: BSD-3-Clause
// What the program does in place of functions of the installed library, one source a flavour:
// witness_openmpi.cpp, witness_mpich.cpp, else no_witness.cpp.
//
// Which algorithm functions of Open MPI ran: the program defines functions of the same names, which
// count and go on to the library's. Only the openmpi flavour on x86-64; elsewhere nothing is seen.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "coll/collective.h"

namespace colltree {

bool has_witness();
void reset_witness();
// Ids of the collective's algorithms that ran since the last reset, ascending.
std::vector<int> witnessed_ids(Collective collective);

// Which functions of MPICH stood on the stack whenever a message was handed to UCX: the program
// defines UCX's send and receive functions itself, looks at the stack and goes on. The functions
// have no names outside the library; their addresses tell two algorithms apart.
using CallTrace = std::set<const void*>;  // where functions begin

// The mpich flavour only; elsewhere nothing is traced.
void start_trace();
CallTrace stop_trace();

// MPICH: whether ranks give their core away while they wait; on until it is said otherwise. Nothing
// elsewhere.
void yield_while_waiting(bool on);

}  // namespace colltree
