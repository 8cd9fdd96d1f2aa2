// SPDX-License-Identifier: BSD-3-Clause
// alltoall ring: size-1 steps; in step s each rank sends to rank+s and receives from rank-s.
#include "algorithms/blocks.h"
#include "algorithms/rows.h"

namespace colltree::rows {

int alltoall_ring(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(
      blocks.open(send, send_count, send_type, receive, receive_count, receive_type, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step) {
    const int to = (blocks.rank + step) % blocks.size;
    const int from = (blocks.rank + blocks.size - step) % blocks.size;
    COLLTREE_TRY(PMPI_Sendrecv(blocks.outgoing(to), blocks.send_count, blocks.send_layout.type, to,
                               context.tag, blocks.incoming(from), receive_count, receive_type,
                               from, context.tag, context.comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

}  // namespace colltree::rows
