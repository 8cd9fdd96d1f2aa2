// SPDX-License-Identifier: BSD-3-Clause
// Calls of the collectives as one rank makes them, with what must come out. The
// table of algorithms/call_layout.h says where each part lies; the contents follow from the ranks.
#pragma once

#include <string>

#include "algorithms/call_layout.h"
#include "buffers.h"

namespace colltree::test {

// One rank's side of a call that is to be checked.
struct Case {
  std::string what;
  algorithms::CallLayout layout;
  MPI_Op op;
  Buffer send;      // must stay as it is
  Buffer initial;   // what the call receives into, before
  Buffer expected;  // and after

  // The arguments, with the two buffers. What MPI does not look at is wrong on purpose.
  algorithms::CollectiveCall call(Buffer& send, Buffer& receive) const;
};

// `op`: of reductions.
Case make_case(std::string what, algorithms::CallLayout layout, const TypeCase& send_type,
               const TypeCase& receive_type, MPI_Op op);

// How a rank describes its data: elements for each unit of a message. All ranks' units have the
// same signature.
struct Description {
  const TypeCase* type;
  int elements;
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

// `in_place`, with a root: at the root alone. v: blocks of several sizes, none, or `count`;
// `scattered`: in memory in another order, with gaps.
Case moving_case(Collective collective, const Moving& m, int root, bool in_place,
                 bool scattered = false);

struct Reducing {
  Place at;
  int count;
  const TypeCase* type;
  OpCase op;
};

// `root`: of reduce. reduce_scatter: blocks of r.count, none, one and half of it.
Case reducing_case(Collective collective, const Reducing& r, int root, bool in_place);

}  // namespace colltree::test
