// SPDX-License-Identifier: BSD-3-Clause
// alltoall ring: size-1 steps; in step s each rank sends to rank+s and receives from rank-s.
#include "algorithms/blocks.h"
#include "algorithms/rows.h"

namespace colltree::rows {

int alltoall_ring(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step) {
    const int to = (blocks.rank + step) % blocks.size;
    const int from = (blocks.rank + blocks.size - step) % blocks.size;
    COLLTREE_TRY(PMPI_Sendrecv(blocks.outgoing(to), blocks.send_count, blocks.send_layout.type, to,
                               context.tag, blocks.incoming(from), blocks.receive_count,
                               blocks.receive_layout.type, from, context.tag, context.comm,
                               MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

}  // namespace colltree::rows
