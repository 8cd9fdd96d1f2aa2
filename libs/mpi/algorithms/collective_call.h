// SPDX-License-Identifier: BSD-3-Clause
// A call of any collective as data: its arguments, and what all ranks know of it alike.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "coll/collective.h"

namespace colltree::algorithms {

// The arguments of one rank, as MPI's function of that name takes them (they are not validated
// again). Make it with the functions below; what a collective does not have stays as it is here.
struct CollectiveCall {
  Collective collective = Collective::kBarrier;
  const void* send = nullptr;  // MPI_IN_PLACE where MPI allows it, at this rank alone or at all
  int send_count = 0;
  MPI_Datatype send_type = MPI_DATATYPE_NULL;
  const int* send_counts = nullptr;         // alltoallv
  const int* send_displacements = nullptr;  // alltoallv; in extents of send_type
  void* receive = nullptr;  // bcast: its buffer; scatter: MPI_IN_PLACE is said here, at the root
  int receive_count = 0;    // bcast and reductions: their count
  MPI_Datatype receive_type = MPI_DATATYPE_NULL;  // bcast and reductions: their type
  const int* receive_counts = nullptr;            // allgatherv, alltoallv, reduce_scatter
  const int* receive_displacements = nullptr;     // allgatherv, alltoallv
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
};

// allgather_call and so on, with the parameters of MPI_Allgather but for the communicator.
using Count = int;
using Offset = int;
// The fields of a call that its arguments fill, by the shapes of collectives.def.
#define COLLTREE_FILLED_Send .send = send, .send_count = send_count, .send_type = send_type
#define COLLTREE_FILLED_SendV                                       \
  .send = send, .send_type = send_type, .send_counts = send_counts, \
  .send_displacements = send_displacements
#define COLLTREE_FILLED_Receive \
  .receive = receive, .receive_count = receive_count, .receive_type = receive_type
#define COLLTREE_FILLED_ReceiveV                                                      \
  .receive = receive, .receive_type = receive_type, .receive_counts = receive_counts, \
  .receive_displacements = receive_displacements
#define COLLTREE_FILLED_Nothing
#define COLLTREE_FILLED_FromRoot COLLTREE_FILLED_Receive, .root = root
#define COLLTREE_FILLED_Blocks COLLTREE_FILLED_Send, COLLTREE_FILLED_Receive
#define COLLTREE_FILLED_Pairs COLLTREE_FILLED_Blocks
#define COLLTREE_FILLED_Gather COLLTREE_FILLED_Blocks, .root = root
#define COLLTREE_FILLED_Scatter COLLTREE_FILLED_Gather
#define COLLTREE_FILLED_BlocksV COLLTREE_FILLED_Send, COLLTREE_FILLED_ReceiveV
#define COLLTREE_FILLED_PairsV COLLTREE_FILLED_SendV, COLLTREE_FILLED_ReceiveV
#define COLLTREE_FILLED_Reduction .send = send, COLLTREE_FILLED_Receive, .op = op
#define COLLTREE_FILLED_Parts COLLTREE_FILLED_Reduction
#define COLLTREE_FILLED_Prefix COLLTREE_FILLED_Reduction
#define COLLTREE_FILLED_PrefixBefore COLLTREE_FILLED_Reduction
#define COLLTREE_FILLED_ReductionV                                \
  .send = send, .receive = receive, .receive_type = receive_type, \
  .receive_counts = receive_counts, .op = op
#define COLLTREE_FILLED_ToRoot COLLTREE_FILLED_Reduction, .root = root
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, unit, \
                            SHAPE)                                                             \
  inline CollectiveCall name##_call takes {                                                    \
    return {.collective = Collective::k##Id, COLLTREE_FILLED_##SHAPE};                         \
  }
#include "coll/collectives.def"

// The call as the MPI library itself carries it out (PMPI_), and as a program makes it (MPI_):
// tools in front of the library see only the latter. Both know gatherv and scatterv, too.
int call_library(const CollectiveCall& call, MPI_Comm comm) noexcept;
int call_as_program(const CollectiveCall& call, MPI_Comm comm) noexcept;

// The facts that decide which method and which algorithm run. All but `rank` are equal on all ranks
// of a correct call, however each describes its types.
struct CallFacts {
  int rank = 0;
  int size = 0;
  // Bytes, as docs/glossary.md defines them. allgatherv: the mean block, rounded down. alltoallv:
  // 0, because no rank knows what the others send.
  std::size_t message_size = 0;
  bool commutative = true;  // the operation; true without one
};

// The facts of the call as rank `rank` of `size` sees them. Returns an MPI error code. Local.
int look_at(const CollectiveCall& call, int rank, int size, CallFacts* facts);

}  // namespace colltree::algorithms
