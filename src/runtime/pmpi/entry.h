// SPDX-License-Identifier: BSD-3-Clause
// Where a collective call of the program enters, whichever language it comes from: entry::Bcast and
// so on, with the parameters of MPI_Bcast.
#pragma once

#include "algorithms/collective_call.h"
#include "runtime/pmpi/job.h"
#include "runtime/pmpi/perform.h"

namespace colltree::entry {

// Without a job the call is the library's own.
#define COLLTREE_COLLECTIVE(Name, name, parameters, arguments, call)                 \
  inline int Name parameters {                                                       \
    return job == nullptr ? PMPI_##Name arguments : perform(name##_call call, comm); \
  }
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE

}  // namespace colltree::entry
