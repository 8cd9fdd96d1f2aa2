// SPDX-License-Identifier: BSD-3-Clause
// The witness of the MPI library that this is compiled with. Those of other libraries do not
// compile, and the trampolines of Open MPI's are assembly.
#include <mpi.h>

#if defined(OPEN_MPI) && defined(__linux__) && defined(__x86_64__)
#include "measure/rank/witness_openmpi.cpp"
#elif defined(MPICH_VERSION)
#include "measure/rank/witness_mpich.cpp"
#else
#include "measure/rank/witness.h"

namespace colltree {

bool has_witness() { return false; }
void reset_witness() {}
std::vector<int> witnessed_ids(Collective) { return {}; }

void start_trace() {}
CallTrace stop_trace() { return {}; }

void yield_while_waiting(bool) {}

}  // namespace colltree

#endif
