// SPDX-License-Identifier: BSD-3-Clause
// The parts that the algorithms of allgather and allgatherv share.
#pragma once

#include <algorithm>

#include "algorithms/block_space.h"
#include "algorithms/subgroup.h"
#include "algorithms/transfer.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

struct Gathering {
  BlockSpace space;
  int rank = 0;
  int size = 0;

  int open(const CollectiveCall& call, const Context& context) {
    rank = context.rank;
    size = context.size;
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

// Exchanges all blocks as AllgatherBruck does, beginning with the own block; then closes `g`.
int gather_by_bruck(const Gathering& g, const Context& context);

// The same among some ranks, of bytes that lie in `data` block after block; std::size_t
// length_of(rank of the group).
template <typename LengthOf>
int gather_bytes(const Subgroup& among, std::byte* data, LengthOf length_of) {
  Gathering g;
  g.rank = among.rank();
  g.size = among.size();
  COLLTREE_TRY(g.space.open_bytes(data, g.size, length_of));
  return gather_by_bruck(g, among.context());
}

// Up the binomial tree of these ranks, which stand for the blocks `first` .. of `space`: all come
// to rank 0. `space`: at(block) and bytes(first, end), as BlockSpace has them.
template <typename Space>
int gather_up(const Tree& tree, int rank, int size, const Space& space, int first,
              const Context& context) {
  const auto end_below = [&](int top, int parent) { return std::min(2 * top - parent, size); };
  const auto bytes = [&](int top, int end) { return space.bytes(first + top, first + end); };
  Requests incoming;
  for (int i = 0; i < tree.child_count; ++i) {
    const int child = tree.children[i];
    COLLTREE_TRY(incoming.post_receive_bytes(space.at(first + child),
                                             bytes(child, end_below(child, rank)), child, context));
  }
  COLLTREE_TRY(incoming.wait_all());
  if (tree.parent == kNoRank) return MPI_SUCCESS;
  return send_bytes(space.at(first + rank), bytes(rank, end_below(rank, tree.parent)), tree.parent,
                    context);
}

}  // namespace colltree::algorithms
