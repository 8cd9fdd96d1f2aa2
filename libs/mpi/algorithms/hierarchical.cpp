// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce hierarchical: one rank of each node, its leader, speaks with other
// nodes, so that a message passes between two nodes once (Karonis, de Supinski, Foster, Gropp,
// Lusk, Bresnahan, Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance, 2000, on multilevel trees; Zhu, Goodell, Gropp, Thakur, Hierarchical
// collectives in MPICH2, 2009).
#include "algorithms/bcast_tree.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/reduction.h"
#include "algorithms/subgroup.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

// A rank's sends to one level overlap, as in knomial.
int bcast_hierarchical(const CollectiveCall& call, const Context& context) {
  Context overlapping = context;
  overlapping.requests = context.radix - 1;
  return bcast_along(tree_over_nodes(*context.nodes, call.root, context.rank, context.radix), call,
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
  const NodePlace place(context);
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  const void* contribution = place.leads() && r.in_place() ? MPI_IN_PLACE : r.own;
  COLLTREE_TRY(node.run(
      reduce_knomial, reduce_shared_memory,
      reduce_call(contribution, call.receive, call.receive_count, call.receive_type, call.op, 0)));
  if (place.leads()) {
    Subgroup leaders;
    COLLTREE_TRY(place.open_lane(leaders, context));
    COLLTREE_TRY(leaders.run(allreduce_recursive_doubling,
                             allreduce_call(MPI_IN_PLACE, call.receive, call.receive_count,
                                            call.receive_type, call.op)));
  }
  return node.run(bcast_knomial, bcast_shared_memory,
                  bcast_call(call.receive, call.receive_count, call.receive_type, 0));
}

// Each segment is on its way between nodes while the one before goes through the memory of a node.
int bcast_hierarchical_shared(const CollectiveCall& call, const Context& context) {
  const NodePlace place(context);
  const int roots_node = place.nodes.node_of(call.root);
  Subgroup node;
  Subgroup leaders;
  COLLTREE_TRY(place.open_node(node, context));
  if (place.leads()) COLLTREE_TRY(place.open_lane(leaders, context));
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == call.root, context));
  const Segments segments(message.bytes(), context.segment_size);
  for (std::size_t i = 0; i < segments.count(); ++i) {
    CollectiveCall segment = bcast_call(message.data() + segments.offset(i), segments.length(i),
                                        MPI_BYTE, place.nodes.index_of(call.root));
    if (place.node == roots_node) COLLTREE_TRY(node.run(bcast_shared_memory, segment));
    segment.root = roots_node;
    if (place.leads()) COLLTREE_TRY(leaders.run(bcast_knomial, segment));
    segment.root = 0;
    if (place.node != roots_node) COLLTREE_TRY(node.run(bcast_shared_memory, segment));
  }
  return message.close(context);
}

// The root leads its node.
int reduce_hierarchical_shared(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const NodePlace place(context);
  const int roots_node = place.nodes.node_of(r.root);
  CollectiveCall of_node = call;
  of_node.root = place.node == roots_node ? place.nodes.index_of(r.root) : 0;
  const bool leads = place.index == of_node.root;
  Scratch sums;
  if (leads && r.result == nullptr) {
    COLLTREE_TRY(sums.allocate(r.layout, r.count));
    of_node.receive = sums.data();
  }
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  COLLTREE_TRY(node.run(reduce_shared_memory, of_node));
  if (!leads) return MPI_SUCCESS;
  Subgroup leaders;
  COLLTREE_TRY(leaders.open(place.nodes.nodes(), place.node, context, [&](int i) {
    return i == roots_node ? r.root : place.nodes.rank(i, 0);
  }));
  void* const sum = of_node.receive;
  return leaders.run(reduce_knomial,
                     reduce_call(r.rank == r.root ? MPI_IN_PLACE : sum, sum, call.receive_count,
                                 call.receive_type, call.op, roots_node));
}

}  // namespace colltree::algorithms
