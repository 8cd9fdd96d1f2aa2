// SPDX-License-Identifier: BSD-3-Clause
#include "cases.h"

namespace colltree::test {

int call_library(const CollectiveCall& c, MPI_Comm comm) {
  switch (c.collective) {
    case Collective::kAllgather:
      return MPI_Allgather(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                           c.receive_type, comm);
    case Collective::kAllgatherv:
      return MPI_Allgatherv(c.send, c.send_count, c.send_type, c.receive, c.receive_counts,
                            c.receive_displacements, c.receive_type, comm);
    case Collective::kAllreduce:
      return MPI_Allreduce(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kAlltoall:
      return MPI_Alltoall(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                          c.receive_type, comm);
    case Collective::kAlltoallv:
      return MPI_Alltoallv(c.send, c.send_counts, c.send_displacements, c.send_type, c.receive,
                           c.receive_counts, c.receive_displacements, c.receive_type, comm);
    case Collective::kBcast:
      return MPI_Bcast(c.receive, c.receive_count, c.receive_type, c.root, comm);
    case Collective::kExscan:
      return MPI_Exscan(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kGather:
      return MPI_Gather(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                        c.receive_type, c.root, comm);
    case Collective::kReduce:
      return MPI_Reduce(c.send, c.receive, c.receive_count, c.receive_type, c.op, c.root, comm);
    case Collective::kReduceScatter:
      return MPI_Reduce_scatter(c.send, c.receive, c.receive_counts, c.receive_type, c.op, comm);
    case Collective::kReduceScatterBlock:
      return MPI_Reduce_scatter_block(c.send, c.receive, c.receive_count, c.receive_type, c.op,
                                      comm);
    case Collective::kScan:
      return MPI_Scan(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kScatter:
      return MPI_Scatter(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                         c.receive_type, c.root, comm);
    default:
      return MPI_Barrier(comm);
  }
}

}  // namespace colltree::test
