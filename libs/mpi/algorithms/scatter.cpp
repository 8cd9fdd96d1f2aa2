// SPDX-License-Identifier: BSD-3-Clause
// scatter linear, binomial, knomial and linear_sync: the gathers of these names backwards.
#include "algorithms/rooted_blocks.h"

namespace colltree::algorithms {

namespace {

struct Scatter {
  const CollectiveCall& call;
  const Context& context;
  int rank = 0;
  int size = 0;

  Scatter(const CollectiveCall& user_call, const Context& in) : call(user_call), context(in) {}
  int open() { return rank_and_size(context, &rank, &size); }
  bool is_root() const { return rank == call.root; }
  int open_own(ByteMessage* message) const {
    return message->open(call.receive, call.receive_count, call.receive_type, false, context);
  }
  int open_all(BlockSpace* space) const {
    COLLTREE_TRY(space->open(const_cast<void*>(call.send), call.send_count, nullptr, nullptr,
                             call.send_type, size));
    return space->load(0, size, context);
  }
  // The root's own block, from the caller's buffer to the caller's buffer.
  int keep_own() const {
    if (call.receive == MPI_IN_PLACE) return MPI_SUCCESS;
    TypeLayout from;
    TypeLayout to;
    COLLTREE_TRY(describe(call.send_type, &from));
    COLLTREE_TRY(describe(call.receive_type, &to));
    const auto count = static_cast<std::size_t>(call.send_count);
    return convert(from.element(call.send, static_cast<std::size_t>(rank) * count), count, from,
                   call.receive, static_cast<std::size_t>(call.receive_count), to, context);
  }
};

// Every message comes from where it lay: nothing is packed.
int scatter_all(const Scatter& s) {
  const CollectiveCall& call = s.call;
  TypeLayout from;
  Requests sends;
  COLLTREE_TRY(describe(call.send_type, &from));
  for (int step = 1; step < s.size; ++step) {
    const int to = (s.rank + step) % s.size;
    const std::size_t first =
        static_cast<std::size_t>(to) * static_cast<std::size_t>(call.send_count);
    COLLTREE_TRY(sends.post_send(from.element(call.send, first), call.send_count, call.send_type,
                                 to, s.context));
  }
  COLLTREE_TRY(s.keep_own());
  return sends.wait_all();
}

// The largest subtree first, and alone on the way: it has most to pass on.
int send_subtrees(const SubtreeBlocks& blocks, const Tree& tree, const std::byte* data,
                  const Context& context) {
  for (int i = tree.child_count - 1; i >= 0; --i) {
    const int child = tree.children[i];
    COLLTREE_TRY(blocks.send(data, child, child, context));
  }
  return MPI_SUCCESS;
}

int scatter_down_tree(const CollectiveCall& call, int radix, const Context& context) {
  Scatter s(call, context);
  COLLTREE_TRY(s.open());
  if (s.is_root()) {
    BlockSpace space;
    COLLTREE_TRY(s.open_all(&space));
    const SubtreeBlocks blocks(s.rank, s.size, call.root, radix, space.bytes(0));
    COLLTREE_TRY(send_subtrees(blocks, blocks.tree(), space.at(0), context));
    return s.keep_own();
  }
  ByteMessage message;
  COLLTREE_TRY(s.open_own(&message));
  const SubtreeBlocks blocks(s.rank, s.size, call.root, radix, message.bytes());
  const int position = blocks.position();
  const Tree tree = blocks.tree();
  Scratch subtree;
  std::byte* data = message.data();
  if (tree.child_count > 0) {
    COLLTREE_TRY(subtree.allocate(blocks.bytes(position)));
    data = subtree.data();
  }
  Requests incoming;
  COLLTREE_TRY(blocks.post_receive(data, position, tree.parent, incoming, context));
  COLLTREE_TRY(incoming.wait_all());
  // Others wait for what is sent on, nobody for the own block.
  COLLTREE_TRY(send_subtrees(blocks, tree, data, context));
  if (tree.child_count > 0)
    copy_bytes(data + blocks.own_offset(), message.data(), message.bytes(), context);
  return message.close(context);
}

}  // namespace

int scatter_linear(const CollectiveCall& call, const Context& context) {
  Scatter s(call, context);
  COLLTREE_TRY(s.open());
  if (s.is_root()) return scatter_all(s);
  return receive(call.receive, call.receive_count, call.receive_type, call.root, context);
}

int scatter_binomial(const CollectiveCall& call, const Context& context) {
  return scatter_down_tree(call, 2, context);
}

int scatter_knomial(const CollectiveCall& call, const Context& context) {
  return scatter_down_tree(call, context.radix, context);
}

// The first bytes of every block leave at once; the rest of it when its rank says that it is there.
int scatter_linear_sync(const CollectiveCall& call, const Context& context) {
  Scatter s(call, context);
  COLLTREE_TRY(s.open());
  if (!s.is_root()) {
    ByteMessage message;
    COLLTREE_TRY(s.open_own(&message));
    const std::size_t first = first_bytes(message.bytes(), context);
    Requests incoming;
    COLLTREE_TRY(incoming.post_receive_bytes(message.data(), first, call.root, context));
    COLLTREE_TRY(incoming.post_receive_bytes(message.data() + first, message.bytes() - first,
                                             call.root, context));
    COLLTREE_TRY(send(nullptr, 0, MPI_BYTE, call.root, context));
    COLLTREE_TRY(incoming.wait_all());
    return message.close(context);
  }
  BlockSpace space;
  COLLTREE_TRY(s.open_all(&space));
  const std::size_t bytes = space.bytes(0);
  const std::size_t first = first_bytes(bytes, context);
  Requests sends;
  for (int step = 1; step < s.size; ++step) {
    const int to = (s.rank + step) % s.size;
    COLLTREE_TRY(sends.post_send_bytes(space.at(to), first, to, context));
  }
  for (int step = 1; step < s.size; ++step) {
    const int to = (s.rank + step) % s.size;
    COLLTREE_TRY(receive(nullptr, 0, MPI_BYTE, to, context));
    COLLTREE_TRY(sends.post_send_bytes(space.at(to) + first, bytes - first, to, context));
  }
  COLLTREE_TRY(s.keep_own());
  return sends.wait_all();
}

}  // namespace colltree::algorithms
