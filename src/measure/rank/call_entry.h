// SPDX-License-Identifier: BSD-3-Clause
// What a call of a collective enters first inside Open MPI: the component that won the collective
// when the communicator was made, whatever the component then chooses.
#pragma once

#include <mpi.h>

#include <string>

#include "coll/collective.h"

namespace colltree {

struct CallEntry {
  std::string component;  // "tuned"
  std::string function;   // "ompi_coll_tuned_bcast_intra_dec_fixed"; "" = it has no exported name
};

// Found in the communicator's own table of collectives (c_coll), which has no interface: its place
// is searched for by what stands in it, the classes of the components' modules, so that it does not
// depend on the release. Nothing: another library, or no such table (tried: 4.1.4 and 5.0.7).
CallEntry call_entry(MPI_Comm comm, Collective collective);

}  // namespace colltree
