// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce hierarchical: one rank of each node, its leader, speaks with other
// nodes, so that a message passes between two nodes once (Karonis, de Supinski, Foster, Gropp,
// Lusk, Bresnahan, Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance, 2000, on multilevel trees; Zhu, Goodell, Gropp, Thakur, Hierarchical
// collectives in MPICH2, 2009).
#include "algorithms/bcast_tree.h"
#include "algorithms/node_tree.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

// As in knomial a rank's sends to one level overlap.
int bcast_hierarchical(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  Context overlapping = context;
  overlapping.requests = context.radix - 1;
  return bcast_along(tree_over_nodes(*context.nodes, call.root, rank, context.radix), call,
                     overlapping);
}

int reduce_hierarchical(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return reduce_up(tree_over_nodes(*context.nodes, r.root, r.rank, context.radix), r, context);
}

// Up to the leaders, among them, and down again.
int allreduce_hierarchical(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const NodePlace place(*context.nodes, r.rank);
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  const void* own = place.leads() && r.in_place() ? MPI_IN_PLACE : r.own;
  COLLTREE_TRY(node.run(reduce_binomial, reduce_call(own, call.receive, call.receive_count,
                                                     call.receive_type, call.op, 0)));
  if (place.leads()) {
    Subgroup leaders;
    COLLTREE_TRY(place.open_lane(leaders, context));
    COLLTREE_TRY(leaders.run(allreduce_recursive_doubling,
                             allreduce_call(MPI_IN_PLACE, call.receive, call.receive_count,
                                            call.receive_type, call.op)));
  }
  return node.run(bcast_binomial,
                  bcast_call(call.receive, call.receive_count, call.receive_type, 0));
}

}  // namespace colltree
