// SPDX-License-Identifier: BSD-3-Clause
// gather linear, binomial, knomial and linear_sync. Binomial: Thakur, Rabenseifner, Gropp,
// Optimization of collective communication operations in MPICH (2005), on gather. K-nomial: Wilkins
// and others, Generalized collective algorithms for the exascale era (2023), on k-nomial gather.
#include "algorithms/rooted_blocks.h"

namespace colltree::algorithms {

namespace {

int open_sent_block(const CollectiveCall& call, const Context& context, ByteMessage* message) {
  return message->open(const_cast<void*>(call.send), call.send_count, call.send_type, true,
                       context);
}

int open_gathered(const CollectiveCall& call, const Context& context, BlockSpace* space) {
  return space->open(call.receive, call.receive_count, nullptr, nullptr, call.receive_type,
                     context.size);
}

// Every message goes to where it stays: nothing is packed.
int gather_all(const CollectiveCall& call, const Context& context) {
  TypeLayout to;
  Requests incoming;
  COLLTREE_TRY(describe(call.receive_type, &to));
  const auto count = static_cast<std::size_t>(call.receive_count);
  const auto block = [&](int rank) {
    return to.element(call.receive, static_cast<std::size_t>(rank) * count);
  };
  for (int step = 1; step < context.size; ++step) {
    const int from = (context.rank + step) % context.size;
    COLLTREE_TRY(
        incoming.post_receive(block(from), call.receive_count, call.receive_type, from, context));
  }
  if (call.send != MPI_IN_PLACE) {
    TypeLayout from;
    COLLTREE_TRY(describe(call.send_type, &from));
    COLLTREE_TRY(convert(call.send, static_cast<std::size_t>(call.send_count), from,
                         block(context.rank), count, to, context));
  }
  return incoming.wait_all();
}

// The blocks of a rank's subtrees come in: short messages together, long ones, which would share
// the way and all be late, one after the other. Smaller subtrees, which are complete earlier, come
// first.
class Subtrees {
 public:
  Subtrees(const SubtreeBlocks& blocks, std::byte* data, const Context& context)
      : blocks_(blocks), tree_(blocks.tree()), data_(data), context_(context) {}

  // So much of it as may be under way at once, at least one message.
  int post() {
    for (std::size_t under_way = 0; next_ < tree_.child_count; ++next_) {
      const int child = tree_.children[next_];
      if (under_way > 0 && under_way + blocks_.bytes(child) > kMostUnderWay) break;
      under_way += blocks_.bytes(child);
      COLLTREE_TRY(blocks_.post_receive(data_, child, child, incoming_, context_));
    }
    return MPI_SUCCESS;
  }
  int wait_all() {
    while (next_ < tree_.child_count) {
      COLLTREE_TRY(incoming_.wait_all());
      COLLTREE_TRY(post());
    }
    return incoming_.wait_all();
  }

 private:
  static constexpr std::size_t kMostUnderWay = 262144;  // bytes

  const SubtreeBlocks& blocks_;
  Tree tree_;
  std::byte* data_;
  const Context& context_;
  int next_ = 0;  // child to be received from
  Requests incoming_;
};

}  // namespace

// The own block is put beside those of the subtrees while these come in.
int gather_knomial(const CollectiveCall& call, const Context& context) {
  if (context.rank == call.root) {
    BlockSpace space;
    COLLTREE_TRY(open_gathered(call, context, &space));
    const SubtreeBlocks blocks(context.rank, context.size, call.root, context.radix,
                               space.bytes(0));
    Subtrees subtrees(blocks, space.at(0), context);
    COLLTREE_TRY(subtrees.post());
    COLLTREE_TRY(contribute(call, context.rank, space, context));
    COLLTREE_TRY(subtrees.wait_all());
    return space.store(0, context.size, context);
  }
  ByteMessage message;
  COLLTREE_TRY(open_sent_block(call, context, &message));
  const SubtreeBlocks blocks(context.rank, context.size, call.root, context.radix, message.bytes());
  const int position = blocks.position();
  const Tree tree = blocks.tree();
  if (tree.child_count == 0) return blocks.send(message.data(), position, tree.parent, context);
  Scratch subtree;
  COLLTREE_TRY(subtree.allocate(blocks.bytes(position)));
  Subtrees subtrees(blocks, subtree.data(), context);
  COLLTREE_TRY(subtrees.post());
  copy_bytes(message.data(), subtree.data() + blocks.own_offset(), message.bytes(), context);
  COLLTREE_TRY(subtrees.wait_all());
  return blocks.send(subtree.data(), position, tree.parent, context);
}

int gather_linear(const CollectiveCall& call, const Context& context) {
  if (context.rank == call.root) return gather_all(call, context);
  return send(call.send, call.send_count, call.send_type, call.root, context);
}

// The root asks one rank after the other for the first bytes of its block; the rest of it flows
// while the next one is asked. So no more than two ranks send to it at once before it is ready.
int gather_linear_sync(const CollectiveCall& call, const Context& context) {
  if (context.rank != call.root) {
    ByteMessage message;
    COLLTREE_TRY(open_sent_block(call, context, &message));
    const std::size_t first = first_bytes(message.bytes(), context);
    COLLTREE_TRY(receive(nullptr, 0, MPI_BYTE, call.root, context));
    COLLTREE_TRY(send_bytes(message.data(), first, call.root, context));
    return send_bytes(message.data() + first, message.bytes() - first, call.root, context);
  }
  BlockSpace space;
  COLLTREE_TRY(open_gathered(call, context, &space));
  // Only to be stored with the others.
  COLLTREE_TRY(contribute(call, context.rank, space, context));
  const std::size_t bytes = space.bytes(0);
  const std::size_t first = first_bytes(bytes, context);
  Requests rests;
  for (int step = 1; step < context.size; ++step) {
    const int from = (context.rank + step) % context.size;
    Requests beginning;
    COLLTREE_TRY(beginning.post_receive_bytes(space.at(from), first, from, context));
    COLLTREE_TRY(rests.post_receive_bytes(space.at(from) + first, bytes - first, from, context));
    COLLTREE_TRY(send(nullptr, 0, MPI_BYTE, from, context));
    COLLTREE_TRY(beginning.wait_all());
  }
  COLLTREE_TRY(rests.wait_all());
  return space.store(0, context.size, context);
}

}  // namespace colltree::algorithms
