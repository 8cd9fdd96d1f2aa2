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

int look_at(const CollectiveCall& call, int rank, int size, CallFacts* facts) {
  facts->rank = rank;
  facts->size = size;
  facts->commutative = true;
  facts->message_size = 0;
  if (call.op != MPI_OP_NULL && !is_common(call.op))
    COLLTREE_TRY(ask_commutative(call.op, &facts->commutative));
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
