// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/collective_call.h"

#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

CollectiveCall moving_call(Collective collective, const void* send, int send_count,
                           MPI_Datatype send_type, void* receive, int receive_count,
                           MPI_Datatype receive_type, int root = 0) {
  return {.collective = collective,
          .send = send,
          .send_count = send_count,
          .send_type = send_type,
          .receive = receive,
          .receive_count = receive_count,
          .receive_type = receive_type,
          .root = root};
}

CollectiveCall reducing_call(Collective collective, const void* send, void* receive, int count,
                             MPI_Datatype type, MPI_Op op, int root = 0) {
  CollectiveCall call =
      moving_call(collective, send, 0, MPI_DATATYPE_NULL, receive, count, type, root);
  call.op = op;
  return call;
}

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

CollectiveCall allgather_call(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, int receive_count, MPI_Datatype receive_type) {
  return moving_call(Collective::kAllgather, send, send_count, send_type, receive, receive_count,
                     receive_type);
}

CollectiveCall allgatherv_call(const void* send, int send_count, MPI_Datatype send_type,
                               void* receive, const int* receive_counts, const int* displacements,
                               MPI_Datatype receive_type) {
  CollectiveCall call =
      moving_call(Collective::kAllgatherv, send, send_count, send_type, receive, 0, receive_type);
  call.receive_counts = receive_counts;
  call.receive_displacements = displacements;
  return call;
}

CollectiveCall allreduce_call(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op) {
  return reducing_call(Collective::kAllreduce, send, receive, count, type, op);
}

CollectiveCall alltoall_call(const void* send, int send_count, MPI_Datatype send_type,
                             void* receive, int receive_count, MPI_Datatype receive_type) {
  return moving_call(Collective::kAlltoall, send, send_count, send_type, receive, receive_count,
                     receive_type);
}

CollectiveCall alltoallv_call(const void* send, const int* send_counts,
                              const int* send_displacements, MPI_Datatype send_type, void* receive,
                              const int* receive_counts, const int* receive_displacements,
                              MPI_Datatype receive_type) {
  CollectiveCall call =
      moving_call(Collective::kAlltoallv, send, 0, send_type, receive, 0, receive_type);
  call.send_counts = send_counts;
  call.send_displacements = send_displacements;
  call.receive_counts = receive_counts;
  call.receive_displacements = receive_displacements;
  return call;
}

CollectiveCall barrier_call() { return {.collective = Collective::kBarrier}; }

CollectiveCall bcast_call(void* buffer, int count, MPI_Datatype type, int root) {
  return moving_call(Collective::kBcast, nullptr, 0, MPI_DATATYPE_NULL, buffer, count, type, root);
}

CollectiveCall exscan_call(const void* send, void* receive, int count, MPI_Datatype type,
                           MPI_Op op) {
  return reducing_call(Collective::kExscan, send, receive, count, type, op);
}

CollectiveCall gather_call(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                           int receive_count, MPI_Datatype receive_type, int root) {
  return moving_call(Collective::kGather, send, send_count, send_type, receive, receive_count,
                     receive_type, root);
}

CollectiveCall reduce_call(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                           int root) {
  return reducing_call(Collective::kReduce, send, receive, count, type, op, root);
}

CollectiveCall reduce_scatter_call(const void* send, void* receive, const int* receive_counts,
                                   MPI_Datatype type, MPI_Op op) {
  CollectiveCall call = reducing_call(Collective::kReduceScatter, send, receive, 0, type, op);
  call.receive_counts = receive_counts;
  return call;
}

CollectiveCall reduce_scatter_block_call(const void* send, void* receive, int receive_count,
                                         MPI_Datatype type, MPI_Op op) {
  return reducing_call(Collective::kReduceScatterBlock, send, receive, receive_count, type, op);
}

CollectiveCall scan_call(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op) {
  return reducing_call(Collective::kScan, send, receive, count, type, op);
}

CollectiveCall scatter_call(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                            int receive_count, MPI_Datatype receive_type, int root) {
  return moving_call(Collective::kScatter, send, send_count, send_type, receive, receive_count,
                     receive_type, root);
}

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

// Calls the name that a program calls, or the name that no tool stands in front of.
#define COLLTREE_CALL(name) (by_program ? MPI_##name : PMPI_##name)

int call_mpi(const CollectiveCall& c, MPI_Comm comm, bool by_program) noexcept {
  switch (c.collective) {
    case Collective::kAllgather:
      return COLLTREE_CALL(Allgather)(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                                      c.receive_type, comm);
    case Collective::kAllgatherv:
      return COLLTREE_CALL(Allgatherv)(c.send, c.send_count, c.send_type, c.receive,
                                       c.receive_counts, c.receive_displacements, c.receive_type,
                                       comm);
    case Collective::kAllreduce:
      return COLLTREE_CALL(Allreduce)(c.send, c.receive, c.receive_count, c.receive_type, c.op,
                                      comm);
    case Collective::kAlltoall:
      return COLLTREE_CALL(Alltoall)(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                                     c.receive_type, comm);
    case Collective::kAlltoallv:
      return COLLTREE_CALL(Alltoallv)(c.send, c.send_counts, c.send_displacements, c.send_type,
                                      c.receive, c.receive_counts, c.receive_displacements,
                                      c.receive_type, comm);
    case Collective::kBarrier:
      return COLLTREE_CALL(Barrier)(comm);
    case Collective::kBcast:
      return COLLTREE_CALL(Bcast)(c.receive, c.receive_count, c.receive_type, c.root, comm);
    case Collective::kExscan:
      return COLLTREE_CALL(Exscan)(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kGather:
      return COLLTREE_CALL(Gather)(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                                   c.receive_type, c.root, comm);
    case Collective::kGatherv:
      return COLLTREE_CALL(Gatherv)(c.send, c.send_count, c.send_type, c.receive, c.receive_counts,
                                    c.receive_displacements, c.receive_type, c.root, comm);
    case Collective::kReduce:
      return COLLTREE_CALL(Reduce)(c.send, c.receive, c.receive_count, c.receive_type, c.op, c.root,
                                   comm);
    case Collective::kReduceScatter:
      return COLLTREE_CALL(Reduce_scatter)(c.send, c.receive, c.receive_counts, c.receive_type,
                                           c.op, comm);
    case Collective::kReduceScatterBlock:
      return COLLTREE_CALL(Reduce_scatter_block)(c.send, c.receive, c.receive_count, c.receive_type,
                                                 c.op, comm);
    case Collective::kScan:
      return COLLTREE_CALL(Scan)(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kScatter:
      return COLLTREE_CALL(Scatter)(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                                    c.receive_type, c.root, comm);
    case Collective::kScatterv:
      return COLLTREE_CALL(Scatterv)(c.send, c.send_counts, c.send_displacements, c.send_type,
                                     c.receive, c.receive_count, c.receive_type, c.root, comm);
  }
  return MPI_ERR_INTERN;
}

#undef COLLTREE_CALL

}  // namespace

int call_library(const CollectiveCall& call, MPI_Comm comm) noexcept {
  return call_mpi(call, comm, false);
}

int call_as_program(const CollectiveCall& call, MPI_Comm comm) noexcept {
  return call_mpi(call, comm, true);
}

}  // namespace colltree::algorithms
