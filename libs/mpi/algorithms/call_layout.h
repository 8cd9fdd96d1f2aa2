// SPDX-License-Identifier: BSD-3-Clause
// The effect of a collective as a table: the elements that a rank contributes, and those that it
// must hold after the call. Campaigns fill and check their cells by it, and so do the tests of all
// that carries out a collective.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "algorithms/collective_call.h"

namespace colltree::algorithms {

// One side of a rank's call as MPI takes it: blocks of `count` elements without gaps, or of the
// lengths `counts` at `places`.
struct CallSide {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;            // elements
  std::vector<int> counts;  // elements, by rank
  std::vector<int> places;  // elements from the buffer's origin, by rank; reduce_scatter: none
};

struct CallLayout {
  Collective collective = Collective::kBarrier;
  int rank = 0;
  int size = 0;
  int root = 0;
  bool in_place = false;  // this rank passes MPI_IN_PLACE; it may where MPI allows it
  CallSide send;          // bcast and reductions: stays as it is here
  CallSide receive;       // bcast and reductions: their count or counts, and their type
};

// Part of a buffer: elements `first` .. of what rank `from` contributes for rank `to`; in
// reductions of what ranks from .. from + ranks - 1 contribute, combined in the order of the ranks.
struct Block {
  int from = 0;
  int ranks = 1;
  int to = 0;              // 0 where all ranks get the same
  std::int64_t first = 0;  // elements
  std::int64_t count = 0;  // elements
  std::int64_t place = 0;  // elements from the buffer's origin
};

struct CallContents {
  std::vector<Block> send;         // the send buffer
  std::vector<Block> initial;      // the receive buffer before the call: bcast's root, MPI_IN_PLACE
  std::vector<Block> result;       // the receive buffer after the call
  std::int64_t send_elements = 0;  // that the buffers must have room for
  std::int64_t receive_elements = 0;
};

CallContents contents_of(const CallLayout& layout);

// The arguments for these buffers. Lives no longer than the layout. Arguments that MPI ignores here
// are as good as the others. `op`: reductions.
CollectiveCall make_call(const CallLayout& layout, const void* send, void* receive,
                         MPI_Op op = MPI_OP_NULL);

}  // namespace colltree::algorithms
