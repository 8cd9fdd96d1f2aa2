// SPDX-License-Identifier: BSD-3-Clause
// allreduce reduce_bcast: up a binomial tree to one rank, and down another.
// allreduce recursive_doubling: in step i each rank exchanges all that it has with the one at
// distance 2^i and folds it in (Thakur, Rabenseifner, Gropp 2005, on allreduce). Keeps rank order.
// allreduce ring and segmented_ring: the ring's reduction of one block for each rank, then the
// blocks go around once more (Patarasuk, Yuan 2009). Segments let a rank fold one while the next
// arrives.
#include "algorithms/power_group.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/ring.h"

namespace colltree::algorithms {

int allreduce_reduce_bcast(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  r.root = r.commutative ? 0 : r.size - 1;  // where the result of a reduction in order comes to be
  COLLTREE_TRY(reduce_along(knomial_tree, r, context));
  return bcast_knomial(bcast_call(call.receive, call.receive_count, call.receive_type, r.root),
                       context);
}

int allreduce_recursive_doubling(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const PowerGroup group(r.size, r.rank);
  const Range message{0, r.count};
  Partial partial(r, context);
  COLLTREE_TRY(partial.open(r.result));
  COLLTREE_TRY(group.gather_pairs(partial, r.count));
  const int member = group.member();
  if (member == kNoMember)
    return receive_elements(r.result, r.count, r.layout, group.pair(), context);
  for (int distance = 1; distance < group.members(); distance *= 2)
    COLLTREE_TRY(partial.exchange(group.rank_of(member ^ distance), message, message));
  COLLTREE_TRY(partial.settle(message));
  if (group.pair() < 0) return MPI_SUCCESS;
  return send_elements(r.result, r.count, r.layout, group.pair(), context);
}

namespace {

int circulate(const Reduction& r, const Offsets& blocks, const Context& context) {
  const int right = (r.rank + 1) % r.size;
  const int left = (r.rank + r.size - 1) % r.size;
  for (int step = 0; step < r.size - 1; ++step) {
    const Range sent = blocks.range((r.rank + r.size - step) % r.size);
    const Range received = blocks.range((left + r.size - step) % r.size);
    COLLTREE_TRY(exchange_elements(r.layout.element(r.result, sent.first), sent.count, right,
                                   r.layout.element(r.result, received.first), received.count, left,
                                   r.layout, context));
  }
  return MPI_SUCCESS;
}

}  // namespace

int allreduce_segmented_ring(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  Offsets blocks;
  COLLTREE_TRY(blocks.set_parts(r.size, r.count));
  COLLTREE_TRY(RingReduction(r, blocks, context).reduce_within(r.result));
  return circulate(r, blocks, context);
}

int allreduce_ring(const CollectiveCall& call, const Context& context) {
  Context whole = context;
  whole.segment_size = 0;
  return allreduce_segmented_ring(call, whole);
}

}  // namespace colltree::algorithms
