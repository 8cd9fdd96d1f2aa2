// SPDX-License-Identifier: BSD-3-Clause
// Observes from outside which code the library runs for a call. The program does something in place
// of functions of the installed library, by flavour (witness_functions.cpp).
//
// Algorithm functions of Open MPI that ran: the program defines functions of the same names, which
// count and go on to the library's. Only the openmpi flavour on x86-64; elsewhere nothing is seen.
#pragma once

#include <mpi.h>

#include <set>
#include <string>
#include <vector>

#include "coll/collective.h"
#include "protocol/plan.h"

namespace colltree::rank {

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

// The function that a call of a collective enters first inside Open MPI: that of the component that
// won the collective when the communicator was created, whatever the component then chooses.
struct CallEntry {
  std::string component;  // "tuned"
  std::string function;   // "ompi_coll_tuned_bcast_intra_dec_fixed"; "" = it has no exported name
};

// Found in the communicator's own table of collectives (c_coll), which has no interface: its place
// is searched for by what stands in it, the classes of the components' modules, so that it does not
// depend on the release. Nothing: another library, or no such table (tried: 4.1.4 and 5.0.7).
CallEntry call_entry(MPI_Comm comm, Collective collective);

// A job that times nothing: it makes every call of a plan once and says what ran. The plan's
// methods are "default", the library as it was started, and what it would do otherwise
// (protocol/report_line.h: kBuiltinAlgorithm and its neighbours). Collective over MPI_COMM_WORLD.
// Rank 0 prints the variables that are set (control_variables.h: set_variables), then a witness
// line a cell.
void run_witness(const protocol::Plan& plan);

}  // namespace colltree::rank
