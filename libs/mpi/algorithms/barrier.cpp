// SPDX-License-Identifier: BSD-3-Clause
// barrier: empty messages. Dissemination: Hensgen, Finkel, Manber, Two algorithms for barrier
// synchronization (1988); of other radix than 2: Hoefler, Mehlan, Mietke, Rehm, Fast barrier
// synchronization for InfiniBand (2006), on n-way dissemination. Hierarchical: hierarchical.cpp.
#include <cstdint>

#include "algorithms/power_group.h"
#include "algorithms/subgroup.h"
#include "algorithms/transfer.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

namespace {

int tell(int to, const Context& context) { return send(nullptr, 0, MPI_BYTE, to, context); }
int hear(int from, const Context& context) { return receive(nullptr, 0, MPI_BYTE, from, context); }
// Up a tree, and down it again.
int hear_children(const Tree& tree, const Context& context) {
  for (int child = 0; child < tree.child_count; ++child)
    COLLTREE_TRY(hear(tree.children[child], context));
  return MPI_SUCCESS;
}
int tell_children(const Tree& tree, const Context& context) {
  for (int child = tree.child_count - 1; child >= 0; --child)
    COLLTREE_TRY(tell(tree.children[child], context));
  return MPI_SUCCESS;
}

}  // namespace

// After step i each rank has heard of the radix^(i+1) - 1 ranks below it.
int barrier_dissemination(const CollectiveCall&, const Context& context) {
  const int rank = context.rank;
  const int size = context.size;
  for (std::int64_t weight = 1; weight < size; weight *= context.radix) {
    Requests words;
    for (int digit = 1; digit < context.radix && digit * weight < size; ++digit) {
      const auto distance = static_cast<int>(digit * weight);
      const int from = rank >= distance ? rank - distance : rank + (size - distance);
      const int to = distance < size - rank ? rank + distance : rank - (size - distance);
      COLLTREE_TRY(words.post_receive(nullptr, 0, MPI_BYTE, from, context));
      COLLTREE_TRY(words.post_send(nullptr, 0, MPI_BYTE, to, context));
    }
    COLLTREE_TRY(words.wait_all());
  }
  return MPI_SUCCESS;
}

// Up a binomial tree and down again.
int barrier_tree(const CollectiveCall&, const Context& context) {
  const Tree tree = knomial_tree(context.size, context.rank, 2);
  COLLTREE_TRY(hear_children(tree, context));
  if (tree.parent != kNoRank) {
    COLLTREE_TRY(tell(tree.parent, context));
    COLLTREE_TRY(hear(tree.parent, context));
  }
  return tell_children(tree, context);
}

// A word goes around twice: all are there when it starts again.
int barrier_double_ring(const CollectiveCall&, const Context& context) {
  const int right = context.rank + 1 == context.size ? 0 : context.rank + 1;
  const int left = context.rank == 0 ? context.size - 1 : context.rank - 1;
  for (int round = 0; round < 2; ++round) {
    if (context.rank > 0) COLLTREE_TRY(hear(left, context));
    COLLTREE_TRY(tell(right, context));
    if (context.rank == 0) COLLTREE_TRY(hear(left, context));
  }
  return MPI_SUCCESS;
}

// Up a binomial tree of each node to its leader, dissemination among the leaders, down again. By a
// node's memory up and down are a barrier each.
int barrier_hierarchical(const CollectiveCall& call, const Context& context) {
  const NodePlace place(context);
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  const Tree tree = knomial_tree(node.size(), node.rank(), 2);
  COLLTREE_TRY(node.shares() ? node.run(barrier_shared_memory, call)
                             : hear_children(tree, node.context()));
  if (place.leads()) {
    Subgroup leaders;
    COLLTREE_TRY(place.open_lane(leaders, context));
    COLLTREE_TRY(leaders.run(barrier_dissemination, call));
  } else if (!node.shares()) {
    COLLTREE_TRY(tell(tree.parent, node.context()));
    COLLTREE_TRY(hear(tree.parent, node.context()));
  }
  return node.shares() ? node.run(barrier_shared_memory, call)
                       : tell_children(tree, node.context());
}

int barrier_recursive_doubling(const CollectiveCall&, const Context& context) {
  const PowerGroup group(context.size, context.rank);
  const int member = group.member();
  if (member == kNoMember) {
    COLLTREE_TRY(tell(group.pair(), context));
    return hear(group.pair(), context);
  }
  if (group.pair() >= 0) COLLTREE_TRY(hear(group.pair(), context));
  for (int distance = 1; distance < group.members(); distance *= 2) {
    const int partner = peer(group.rank_of(member ^ distance), context);
    COLLTREE_TRY(PMPI_Sendrecv(nullptr, 0, MPI_BYTE, partner, context.tag, nullptr, 0, MPI_BYTE,
                               partner, context.tag, context.comm, MPI_STATUS_IGNORE));
  }
  return group.pair() >= 0 ? tell(group.pair(), context) : MPI_SUCCESS;
}

}  // namespace colltree::algorithms
