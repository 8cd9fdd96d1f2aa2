// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/collective_call.h"

#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

std::size_t sum(const int* counts, int size) {
  std::size_t total = 0;
  for (int i = 0; i < size; ++i) total += static_cast<std::size_t>(counts[i]);
  return total;
}

// The side is chosen on which the size is significant and no rank may pass MPI_IN_PLACE.
int block_bytes(const CollectiveCall& call, const CallFacts& facts, std::size_t* bytes) {
  const bool from_send = (call.collective == Collective::kGather && facts.rank != call.root) ||
                         (call.collective == Collective::kScatter && facts.rank == call.root);
  return from_send ? message_bytes(call.send_count, call.send_type, bytes)
                   : message_bytes(call.receive_count, call.receive_type, bytes);
}

int counted_bytes(const CollectiveCall& call, const CallFacts& facts, std::size_t* bytes) {
  COLLTREE_TRY(message_bytes(1, call.receive_type, bytes));
  *bytes *= sum(call.receive_counts, facts.size);
  if (call.collective == Collective::kAllgatherv) *bytes /= static_cast<std::size_t>(facts.size);
  return MPI_SUCCESS;
}

}  // namespace

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
  CollectiveCall name##_call takes {                                                           \
    return {.collective = Collective::k##Id, COLLTREE_FILLED_##SHAPE};                         \
  }
#include "coll/collectives.def"

int look_at(const CollectiveCall& call, int rank, int size, CallFacts* facts) {
  facts->rank = rank;
  facts->size = size;
  facts->commutative = true;
  facts->message_size = 0;
  if (call.op != MPI_OP_NULL) {
    int commutes = 0;
    COLLTREE_TRY(PMPI_Op_commutative(call.op, &commutes));
    facts->commutative = commutes != 0;
  }
  switch (call.collective) {
    case Collective::kBarrier:
    case Collective::kAlltoallv:
      return MPI_SUCCESS;
    case Collective::kAllgatherv:
    case Collective::kReduceScatter:
      return counted_bytes(call, *facts, &facts->message_size);
    default:
      return block_bytes(call, *facts, &facts->message_size);
  }
}

namespace {

// Calls MPI_NAME, as a program does, or PMPI_NAME, which no tool intercepts.
int call_mpi(const CollectiveCall& call, MPI_Comm comm, bool by_program) noexcept {
  const auto& [collective, send, send_count, send_type, send_counts, send_displacements, receive,
               receive_count, receive_type, receive_counts, receive_displacements, op, root] = call;
  switch (collective) {
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, ...) \
  case Collective::k##Id:                                                                     \
    return (by_program ? MPI_##Name : PMPI_##Name)arguments;
#define COLLTREE_MEASURED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
  }
  return MPI_ERR_INTERN;
}

}  // namespace

int call_library(const CollectiveCall& call, MPI_Comm comm) noexcept {
  return call_mpi(call, comm, false);
}

int call_as_program(const CollectiveCall& call, MPI_Comm comm) noexcept {
  return call_mpi(call, comm, true);
}

}  // namespace colltree::algorithms
