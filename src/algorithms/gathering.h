// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms of allgather and allgatherv share.
#pragma once

#include "algorithms/block_space.h"
#include "algorithms/transfer.h"

namespace colltree {

struct Gathering {
  BlockSpace space;
  int rank = 0;
  int size = 0;

  int open(const CollectiveCall& call, const Context& context) {
    COLLTREE_TRY(rank_and_size(context, &rank, &size));
    COLLTREE_TRY(space.open(call.receive, call.receive_count, call.receive_counts,
                            call.receive_displacements, call.receive_type, size));
    return contribute(call, rank, space, context);
  }
  int close(const Context& context) const { return space.store(0, size, context); }

  // Blocks out .. out + n - 1 to `to`, blocks in .. in + n - 1 from `from`.
  int exchange(int out, int to, int in, int from, int n, const Context& context) const {
    return exchange_bytes(space.at(out), space.bytes(out, out + n), to, space.at(in),
                          space.bytes(in, in + n), from, context);
  }
};

}  // namespace colltree
