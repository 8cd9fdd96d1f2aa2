// SPDX-License-Identifier: BSD-3-Clause
// allreduce ring and segmented_ring: the ring's reduction of one block for each rank, then the
// blocks go around once more (Patarasuk, Yuan 2009). Segments let a rank fold one while the next
// arrives.
#include "algorithms/ring.h"
#include "algorithms/rows.h"

namespace colltree {

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

}  // namespace colltree
