// SPDX-License-Identifier: BSD-3-Clause
// allreduce reduce_bcast: up a binomial tree to one rank, and down another.
#include "algorithms/reduce_tree.h"
#include "algorithms/rows.h"

namespace colltree {

int allreduce_reduce_bcast(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  r.root = r.commutative ? 0 : r.size - 1;  // where the result of a reduction in order comes to be
  COLLTREE_TRY(reduce_along(binomial_tree, r, context));
  return bcast_binomial(bcast_call(call.receive, call.receive_count, call.receive_type, r.root),
                        context);
}

}  // namespace colltree
