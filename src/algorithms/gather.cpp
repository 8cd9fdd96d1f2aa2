// SPDX-License-Identifier: BSD-3-Clause
// gather linear, binomial and linear_sync. Binomial: Thakur, Rabenseifner, Gropp, Optimization of
// collective communication operations in MPICH (2005), on gather.
#include "algorithms/rooted_blocks.h"
#include "algorithms/rows.h"
#include "algorithms/trees.h"

namespace colltree {

namespace {

struct Gather {
  const CollectiveCall& call;
  const Context& context;
  int rank = 0;
  int size = 0;

  Gather(const CollectiveCall& of, const Context& in) : call(of), context(in) {}
  int open() { return rank_and_size(context, &rank, &size); }
  bool is_root() const { return rank == call.root; }
  int open_own(OwnBlock* own) const {
    return own->open(const_cast<void*>(call.send), call.send_count, call.send_type, true, context);
  }
  // The root's own block is put into the space only to be stored with the others.
  int open_all(BlockSpace* all) const {
    COLLTREE_TRY(
        all->open(call.receive, call.receive_count, nullptr, nullptr, call.receive_type, size));
    return contribute(call, rank, *all, context);
  }
};

// Every message goes to where it stays: nothing is packed.
int gather_all(const Gather& g) {
  const CollectiveCall& call = g.call;
  TypeLayout to;
  Requests incoming;
  COLLTREE_TRY(describe(call.receive_type, &to));
  const auto count = static_cast<std::size_t>(call.receive_count);
  const auto block = [&](int rank) {
    return to.element(call.receive, static_cast<std::size_t>(rank) * count);
  };
  for (int step = 1; step < g.size; ++step) {
    const int from = (g.rank + step) % g.size;
    COLLTREE_TRY(
        incoming.post_receive(block(from), call.receive_count, call.receive_type, from, g.context));
  }
  if (call.send != MPI_IN_PLACE) {
    TypeLayout own;
    COLLTREE_TRY(describe(call.send_type, &own));
    COLLTREE_TRY(convert(call.send, static_cast<std::size_t>(call.send_count), own, block(g.rank),
                         count, to, g.context));
  }
  return incoming.wait_all();
}

int receive_subtrees(const BinomialBlocks& blocks, const Tree& tree, std::byte* data,
                     const Context& context) {
  Requests incoming;
  for (int i = 0; i < tree.child_count; ++i) {
    const int child = tree.children[i];
    COLLTREE_TRY(blocks.post_receive(data, child, child, incoming, context));
  }
  return incoming.wait_all();
}

}  // namespace

namespace rows {

int gather_linear(const CollectiveCall& call, const Context& context) {
  Gather g(call, context);
  COLLTREE_TRY(g.open());
  if (g.is_root()) return gather_all(g);
  return send(call.send, call.send_count, call.send_type, call.root, context);
}

int gather_binomial(const CollectiveCall& call, const Context& context) {
  Gather g(call, context);
  COLLTREE_TRY(g.open());
  if (g.is_root()) {
    BlockSpace all;
    COLLTREE_TRY(g.open_all(&all));
    const BinomialBlocks blocks(g.rank, g.size, call.root, all.bytes(0));
    COLLTREE_TRY(receive_subtrees(blocks, binomial_tree(g.size, 0, 2), all.at(0), context));
    return all.store(0, g.size, context);
  }
  OwnBlock own;
  COLLTREE_TRY(g.open_own(&own));
  const BinomialBlocks blocks(g.rank, g.size, call.root, own.bytes());
  const Tree tree = binomial_tree(g.size, blocks.position(), 2);
  if (tree.child_count == 0)
    return blocks.send(own.data(), blocks.position(), tree.parent, context);
  Scratch subtree;
  const auto count = static_cast<std::size_t>(blocks.end(blocks.position()) - blocks.position());
  COLLTREE_TRY(subtree.allocate(count * own.bytes()));
  copy_bytes(own.data(), subtree.data(), own.bytes(), context);
  COLLTREE_TRY(receive_subtrees(blocks, tree, subtree.data(), context));
  return blocks.send(subtree.data(), blocks.position(), tree.parent, context);
}

// The root asks one rank after the other for the first bytes of its block; the rest of it flows
// while the next one is asked. So no more than two ranks send to it at once before it is ready.
int gather_linear_sync(const CollectiveCall& call, const Context& context) {
  Gather g(call, context);
  COLLTREE_TRY(g.open());
  if (!g.is_root()) {
    OwnBlock own;
    COLLTREE_TRY(g.open_own(&own));
    const std::size_t first = first_bytes(own.bytes(), context);
    COLLTREE_TRY(receive(nullptr, 0, MPI_BYTE, call.root, context));
    COLLTREE_TRY(send_bytes(own.data(), first, call.root, context));
    return send_bytes(own.data() + first, own.bytes() - first, call.root, context);
  }
  BlockSpace all;
  COLLTREE_TRY(g.open_all(&all));
  const std::size_t bytes = all.bytes(0);
  const std::size_t first = first_bytes(bytes, context);
  Requests rests;
  for (int step = 1; step < g.size; ++step) {
    const int from = (g.rank + step) % g.size;
    Requests beginning;
    COLLTREE_TRY(beginning.post_receive_bytes(all.at(from), first, from, context));
    COLLTREE_TRY(rests.post_receive_bytes(all.at(from) + first, bytes - first, from, context));
    COLLTREE_TRY(send(nullptr, 0, MPI_BYTE, from, context));
    COLLTREE_TRY(beginning.wait_all());
  }
  COLLTREE_TRY(rests.wait_all());
  return all.store(0, g.size, context);
}

}  // namespace rows

}  // namespace colltree
