// SPDX-License-Identifier: BSD-3-Clause
// bcast linear: the root sends to each, all sends in flight at once.
#include "algorithms/rows.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree {

int bcast_linear(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  if (rank != call.root)
    return receive_whole(call.receive, call.receive_count, call.receive_type, call.root, context);
  Requests sends;
  for (int step = 1; step < size; ++step) {
    COLLTREE_TRY(sends.post_send(call.receive, call.receive_count, call.receive_type,
                                 (rank + step) % size, context));
  }
  return sends.wait_all();
}

}  // namespace colltree
