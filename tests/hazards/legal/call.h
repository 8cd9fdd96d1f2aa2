// SPDX-License-Identifier: BSD-3-Clause
// One legal call of a collective: what the ranks agree on, what each rank chooses for itself, and
// whether its memory is right afterwards.
#pragma once

#include "coll/collective.h"
#include "types.h"

namespace legal {

struct Call {
  MPI_Comm comm;
  int rank;
  int size;
  unsigned features;
  Random shared;  // the same on all ranks of the communicator
  Random own;

  bool may(unsigned feature) const { return (features & feature) != 0; }
};

// Those that make sense for the collective.
unsigned features_of(colltree::Collective collective);

// Makes a random call and says whether this rank's memory is right.
bool run(colltree::Collective collective, Call& call);

// For barrier: a file of counters that all processes see.
void open_counters(const char* path);

// What `from` has for `to`: the same bytes on all ranks.
Bytes data_of(std::uint64_t key, int from, int to, std::size_t bytes);

}  // namespace legal
