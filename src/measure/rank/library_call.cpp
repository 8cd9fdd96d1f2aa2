// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/library_call.h"

namespace colltree {

namespace {

constexpr int kRoot = 0;

int call_moving(Collective collective, const CellShape& shape, void* send, void* receive,
                MPI_Comm comm) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  const int* counts = shape.counts.data();
  const int* places = shape.displacements.data();
  switch (collective) {
    case Collective::kAllgather:
      return MPI_Allgather(send, n, t, receive, n, t, comm);
    case Collective::kAllgatherv:
      return MPI_Allgatherv(send, n, t, receive, counts, places, t, comm);
    case Collective::kAlltoall:
      return MPI_Alltoall(send, n, t, receive, n, t, comm);
    case Collective::kAlltoallv:
      return MPI_Alltoallv(send, counts, places, t, receive, counts, places, t, comm);
    case Collective::kBarrier:
      return MPI_Barrier(comm);
    case Collective::kBcast:
      return MPI_Bcast(send, n, t, kRoot, comm);
    case Collective::kGather:
      return MPI_Gather(send, n, t, receive, n, t, kRoot, comm);
    case Collective::kScatter:
      return MPI_Scatter(send, n, t, receive, n, t, kRoot, comm);
    default:
      return MPI_ERR_UNSUPPORTED_OPERATION;
  }
}

}  // namespace

int call_library(Collective collective, const CellShape& shape, void* send, void* receive,
                 MPI_Op op, MPI_Comm comm) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  switch (collective) {
    case Collective::kAllreduce:
      return MPI_Allreduce(send, receive, n, t, op, comm);
    case Collective::kExscan:
      return MPI_Exscan(send, receive, n, t, op, comm);
    case Collective::kReduce:
      return MPI_Reduce(send, receive, n, t, op, kRoot, comm);
    case Collective::kReduceScatter:
      return MPI_Reduce_scatter(send, receive, shape.counts.data(), t, op, comm);
    case Collective::kReduceScatterBlock:
      return MPI_Reduce_scatter_block(send, receive, n, t, op, comm);
    case Collective::kScan:
      return MPI_Scan(send, receive, n, t, op, comm);
    default:
      return call_moving(collective, shape, send, receive, comm);
  }
}

}  // namespace colltree
