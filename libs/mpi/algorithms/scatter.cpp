// SPDX-License-Identifier: BSD-3-Clause
// scatter linear, binomial, knomial and linear_sync: the gathers of these names backwards.
#include "algorithms/rooted_blocks.h"

namespace colltree::algorithms {

namespace {

int open_received_block(const CollectiveCall& call, const Context& context, ByteMessage* message) {
  return message->open(call.receive, call.receive_count, call.receive_type, false, context);
}

int open_scattered(const CollectiveCall& call, const Context& context, BlockSpace* space) {
  COLLTREE_TRY(space->open(const_cast<void*>(call.send), call.send_count, nullptr, nullptr,
                           call.send_type, context.size));
  return space->load(0, context.size, context);
}

// The root's own block, from the caller's buffer to the caller's buffer.
int keep_own(const CollectiveCall& call, const Context& context) {
  if (call.receive == MPI_IN_PLACE) return MPI_SUCCESS;
  TypeLayout from;
  TypeLayout to;
  COLLTREE_TRY(describe(call.send_type, &from));
  COLLTREE_TRY(describe(call.receive_type, &to));
  const auto count = static_cast<std::size_t>(call.send_count);
  return convert(from.element(call.send, static_cast<std::size_t>(context.rank) * count), count,
                 from, call.receive, static_cast<std::size_t>(call.receive_count), to, context);
}

// Every message comes from where it lay: nothing is packed.
int scatter_all(const CollectiveCall& call, const Context& context) {
  TypeLayout from;
  Requests sends;
  COLLTREE_TRY(describe(call.send_type, &from));
  for (int step = 1; step < context.size; ++step) {
    const int to = (context.rank + step) % context.size;
    const std::size_t first =
        static_cast<std::size_t>(to) * static_cast<std::size_t>(call.send_count);
    COLLTREE_TRY(sends.post_send(from.element(call.send, first), call.send_count, call.send_type,
                                 to, context));
  }
  COLLTREE_TRY(keep_own(call, context));
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

}  // namespace

int scatter_knomial(const CollectiveCall& call, const Context& context) {
  if (context.rank == call.root) {
    BlockSpace space;
    COLLTREE_TRY(open_scattered(call, context, &space));
    const SubtreeBlocks blocks(context.rank, context.size, call.root, context.radix,
                               space.bytes(0));
    COLLTREE_TRY(send_subtrees(blocks, blocks.tree(), space.at(0), context));
    return keep_own(call, context);
  }
  ByteMessage message;
  COLLTREE_TRY(open_received_block(call, context, &message));
  const SubtreeBlocks blocks(context.rank, context.size, call.root, context.radix, message.bytes());
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

int scatter_linear(const CollectiveCall& call, const Context& context) {
  if (context.rank == call.root) return scatter_all(call, context);
  return receive(call.receive, call.receive_count, call.receive_type, call.root, context);
}

// The first bytes of every block leave at once; the rest of it when its rank says that it is there.
int scatter_linear_sync(const CollectiveCall& call, const Context& context) {
  if (context.rank != call.root) {
    ByteMessage message;
    COLLTREE_TRY(open_received_block(call, context, &message));
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
  COLLTREE_TRY(open_scattered(call, context, &space));
  const std::size_t bytes = space.bytes(0);
  const std::size_t first = first_bytes(bytes, context);
  Requests sends;
  for (int step = 1; step < context.size; ++step) {
    const int to = (context.rank + step) % context.size;
    COLLTREE_TRY(sends.post_send_bytes(space.at(to), first, to, context));
  }
  for (int step = 1; step < context.size; ++step) {
    const int to = (context.rank + step) % context.size;
    COLLTREE_TRY(receive(nullptr, 0, MPI_BYTE, to, context));
    COLLTREE_TRY(sends.post_send_bytes(space.at(to) + first, bytes - first, to, context));
  }
  COLLTREE_TRY(keep_own(call, context));
  return sends.wait_all();
}

}  // namespace colltree::algorithms
