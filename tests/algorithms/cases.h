// SPDX-License-Identifier: BSD-3-Clause
// Calls of the collectives as one rank makes them, with what must come out. The expected result is
// computed from the seeds of all ranks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algorithms/collective_call.h"
#include "buffers.h"
#include "operations.h"

namespace colltree::test {

// One rank's side of a call that is to be checked. What MPI does not look at is wrong on purpose.
struct Case {
  Collective collective = Collective::kBarrier;
  std::string what;
  Buffer send;      // must stay as it is
  Buffer initial;   // what the call receives into, before
  Buffer expected;  // and after
  // The arguments, with the two buffers.
  std::function<CollectiveCall(Buffer& send, Buffer& receive)> call;
};

// How a rank describes its data: elements for each unit of a message. All ranks' units have the
// same signature.
struct Description {
  const TypeCase* type;
  int elements;

  std::size_t parts() const { return static_cast<std::size_t>(elements) * type->parts(); }
};

// This rank in a communicator.
struct Place {
  int rank;
  int size;
};

// `count` is in units.
struct Moving {
  Place at;
  int count;
  Description send;
  Description receive;
};

Case bcast_case(const Moving& m, int root);
Case gather_case(const Moving& m, int root, bool in_place);
Case scatter_case(const Moving& m, int root, bool in_place);
Case allgather_case(const Moving& m, bool in_place);
Case alltoall_case(const Moving& m, bool in_place);
// Blocks of several sizes, none, or `count`. `scattered`: in memory in another order, with gaps.
Case allgatherv_case(const Moving& m, bool in_place, bool scattered);
Case alltoallv_case(const Moving& m, bool in_place, bool scattered);

struct Reducing {
  Place at;
  int count;
  const TypeCase* type;
  OpCase op;
};

Case reduce_case(const Reducing& r, int root, bool in_place);
Case allreduce_case(const Reducing& r, bool in_place);
Case scan_case(const Reducing& r, bool in_place);
Case exscan_case(const Reducing& r, bool in_place);
Case reduce_scatter_case(const Reducing& r, bool in_place);
Case reduce_scatter_block_case(const Reducing& r, bool in_place);

}  // namespace colltree::test
