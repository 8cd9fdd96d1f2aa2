// SPDX-License-Identifier: BSD-3-Clause
// alltoall linear: every message in flight at once; each rank starts with its neighbours.
#include "algorithms/blocks.h"
#include "algorithms/rows.h"
#include "algorithms/transfer.h"

namespace colltree::rows {

int alltoall_linear(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  Requests requests;
  COLLTREE_TRY(blocks.open(call, context));
  const int size = blocks.size;
  COLLTREE_TRY(requests.allocate(2 * size));
  for (int step = 1; step < size; ++step) {
    const int from = (blocks.rank + size - step) % size;
    COLLTREE_TRY(requests.post_receive(blocks.incoming(from), blocks.receive_count,
                                       blocks.receive_layout.type, from, context));
  }
  for (int step = 1; step < size; ++step) {
    const int to = (blocks.rank + step) % size;
    COLLTREE_TRY(requests.post_send(blocks.outgoing(to), blocks.send_count, blocks.send_layout.type,
                                    to, context));
  }
  COLLTREE_TRY(blocks.keep_own(context));
  return requests.wait_all();
}

}  // namespace colltree::rows
