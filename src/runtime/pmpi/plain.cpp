// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/plain.h"

namespace colltree {

int call_library(const CollectiveCall& c, MPI_Comm comm) noexcept {
  switch (c.collective) {
    case Collective::kAllgather:
      return PMPI_Allgather(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                            c.receive_type, comm);
    case Collective::kAllgatherv:
      return PMPI_Allgatherv(c.send, c.send_count, c.send_type, c.receive, c.receive_counts,
                             c.receive_displacements, c.receive_type, comm);
    case Collective::kAllreduce:
      return PMPI_Allreduce(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kAlltoall:
      return PMPI_Alltoall(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                           c.receive_type, comm);
    case Collective::kAlltoallv:
      return PMPI_Alltoallv(c.send, c.send_counts, c.send_displacements, c.send_type, c.receive,
                            c.receive_counts, c.receive_displacements, c.receive_type, comm);
    case Collective::kBarrier:
      return PMPI_Barrier(comm);
    case Collective::kBcast:
      return PMPI_Bcast(c.receive, c.receive_count, c.receive_type, c.root, comm);
    case Collective::kExscan:
      return PMPI_Exscan(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kGather:
      return PMPI_Gather(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                         c.receive_type, c.root, comm);
    case Collective::kReduce:
      return PMPI_Reduce(c.send, c.receive, c.receive_count, c.receive_type, c.op, c.root, comm);
    case Collective::kReduceScatter:
      return PMPI_Reduce_scatter(c.send, c.receive, c.receive_counts, c.receive_type, c.op, comm);
    case Collective::kReduceScatterBlock:
      return PMPI_Reduce_scatter_block(c.send, c.receive, c.receive_count, c.receive_type, c.op,
                                       comm);
    case Collective::kScan:
      return PMPI_Scan(c.send, c.receive, c.receive_count, c.receive_type, c.op, comm);
    case Collective::kScatter:
      return PMPI_Scatter(c.send, c.send_count, c.send_type, c.receive, c.receive_count,
                          c.receive_type, c.root, comm);
    default:
      return MPI_ERR_INTERN;
  }
}

}  // namespace colltree
