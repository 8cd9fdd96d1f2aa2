// SPDX-License-Identifier: BSD-3-Clause
// alltoall and alltoallv linear, ring and pairwise: every block goes straight to its receiver. They
// differ in how many are under way and in the order of peers. Thakur, Rabenseifner, Gropp,
// Optimization of collective communication operations in MPICH (2005), on all-to-all.
#include <algorithm>

#include "algorithms/blocks.h"
#include "algorithms/rows.h"

namespace colltree {

// In step i to rank+i and from rank-i. As many steps under way as the method says: all, or a window
// that a step leaves when it has both sent and received.
int alltoall_linear(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  Window sends;
  Window receives;
  COLLTREE_TRY(blocks.open(call, context));
  const int size = blocks.size;
  const int window = context.requests == 0 ? size - 1 : std::min(context.requests, size - 1);
  COLLTREE_TRY(sends.allocate(window));
  COLLTREE_TRY(receives.allocate(window));
  const auto receive = [&](int step) -> int {
    const int from = (blocks.rank + size - step) % size;
    return receives.post_receive(blocks.incoming(from), blocks.receive.count_of(from),
                                 blocks.receive.layout.type, from, context);
  };
  for (int step = 1; step <= window; ++step) COLLTREE_TRY(receive(step));
  for (int step = 1; step < size; ++step) {
    if (step > window) COLLTREE_TRY(receive(step));  // waits for the one a window before
    const int to = (blocks.rank + step) % size;
    COLLTREE_TRY(sends.post_send(blocks.outgoing(to), blocks.send.count_of(to),
                                 blocks.send.layout.type, to, context));
    if (step == window) COLLTREE_TRY(blocks.keep_own(context));
  }
  COLLTREE_TRY(receives.wait_all());
  return sends.wait_all();
}

// The same, one step after the other.
int alltoall_ring(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step) {
    COLLTREE_TRY(blocks.exchange((blocks.rank + step) % blocks.size,
                                 (blocks.rank + blocks.size - step) % blocks.size, context));
  }
  return MPI_SUCCESS;
}

// A power of two of ranks: in each step the ranks exchange in pairs.
int alltoall_pairwise(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step)
    COLLTREE_TRY(blocks.exchange(blocks.rank ^ step, blocks.rank ^ step, context));
  return MPI_SUCCESS;
}

}  // namespace colltree
