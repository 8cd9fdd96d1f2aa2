// SPDX-License-Identifier: BSD-3-Clause
// bcast binomial, binary, pipeline and knomial: one schedule along four trees. The k-nomial
// tree is the binomial one with radix k in place of 2: k-1 children a level.
// linear: the root sends to each, all sends in flight at once.
// split_binary: the two halves of the message go down the two subtrees of a binary tree; then
// each rank of one subtree exchanges its half with a partner in the other.
#include "algorithms/bcast_tree.h"

#include <span>

#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Uncut, the message needs no packing: MPI matches the ranks' different types by itself. Where it
// has another length than a rank expects, an error of the program, the ranks behind that one get
// none, so that they do not wait and see it as well.
int relay_whole(const Tree& tree, void* data, int count, MPI_Datatype type,
                const Context& context) {
  Sends sends(context, tree.child_count);
  COLLTREE_TRY(sends.open());
  int received = MPI_SUCCESS;
  if (tree.parent != kNoRank) received = receive_whole(data, count, type, tree.parent, context);
  const int passed_on = received == MPI_SUCCESS ? count : 0;
  for (int child = tree.child_count - 1; child >= 0; --child) {
    COLLTREE_TRY(sends.segment(data, passed_on, type, tree.children[child], 0));
  }
  return first_error(received, sends.close());
}

int bcast_along(TreeShape* shape, const CollectiveCall& call, const Context& context) {
  return bcast_along(
      Placement::from_root(context.size, call.root).tree(shape, context.rank, context.radix), call,
      context);
}

}  // namespace

int relay(const Tree& tree, std::byte* data, std::size_t bytes, const Context& context) {
  const Segments segments(bytes, context.segment_size);
  if (segments.count() == 1) return relay_whole(tree, data, segments.length(0), MPI_BYTE, context);
  const TypeLayout layout = bytes_layout();
  Relay part(tree, data, segments, layout, context);
  COLLTREE_TRY(part.open());
  int received = MPI_SUCCESS;
  for (std::size_t i = 0; i < part.steps(); ++i) COLLTREE_TRY(part.step(i, &received));
  return first_error(received, part.close());
}

int Relay::open() {
  for (std::size_t i = 0; i < ahead_; ++i) COLLTREE_TRY(post(i));
  return sends_.open();
}

int Relay::post(std::size_t i) {
  if (tree_.parent == kNoRank || i >= segments_.count()) return MPI_SUCCESS;
  return incoming(i).post(layout_.element(data_, segments_.offset(i)), segments_.length(i),
                          layout_.type, tree_.parent, context_);
}

int Relay::step(std::size_t i, int* received) {
  COLLTREE_TRY(post(i + ahead_));
  const int count = segments_.length(i);
  if (tree_.parent != kNoRank) {
    const auto bytes = static_cast<std::size_t>(count) * layout_.size;
    *received = first_error(*received, incoming(i).wait_whole(bytes));
  }
  const int length = *received == MPI_SUCCESS ? count : 0;
  const void* data = layout_.element(data_, segments_.offset(i));
  for (int child = tree_.child_count - 1; child >= 0; --child)
    COLLTREE_TRY(sends_.segment(data, length, layout_.type, tree_.children[child], i));
  return MPI_SUCCESS;
}

int bcast_along(const Tree& tree, const CollectiveCall& call, const Context& context) {
  std::size_t bytes = 0;
  COLLTREE_TRY(message_bytes(call.receive_count, call.receive_type, &bytes));
  if (context.segment_size == 0 || context.segment_size >= bytes)
    return relay_whole(tree, call.receive, call.receive_count, call.receive_type, context);
  ByteMessage message;
  COLLTREE_TRY(message.open(call, tree.parent == kNoRank, context));
  COLLTREE_TRY(relay(tree, message.data(), message.bytes(), context));
  return message.close(context);
}

int bcast_binary(const CollectiveCall& call, const Context& context) {
  return bcast_along(binary_tree, call, context);
}

int bcast_pipeline(const CollectiveCall& call, const Context& context) {
  return bcast_along(chain_tree, call, context);
}

// To all children of a level at once unless the method says otherwise; of radix 2 that is a single
// child, as a binomial tree has it.
int bcast_knomial(const CollectiveCall& call, const Context& context) {
  Context overlapping = context;
  if (overlapping.requests == 0) overlapping.requests = context.radix - 1;
  return bcast_along(knomial_tree, call, overlapping);
}

int bcast_linear(const CollectiveCall& call, const Context& context) {
  if (context.rank != call.root)
    return receive_whole(call.receive, call.receive_count, call.receive_type, call.root, context);
  Requests sends;
  for (int step = 1; step < context.size; ++step) {
    COLLTREE_TRY(sends.post_send(call.receive, call.receive_count, call.receive_type,
                                 (context.rank + step) % context.size, context));
  }
  return sends.wait_all();
}

namespace {

using Half = std::span<std::byte>;  // of the message

// Positions of binary_tree(): 0 the root, 1..near_size the adjacent subtree, the rest the far
// subtree, which has as many nodes or one more. In the latter case its last position has no
// partner.
struct Split {
  int size;
  int near_size;

  explicit Split(int communicator_size)
      : size(communicator_size), near_size((communicator_size - 1) / 2) {}
  bool near(int position) const { return position <= near_size; }
  bool last_is_single() const { return size - 1 - near_size > near_size; }
  int partner(int position) const {
    if (near(position)) return position + near_size;
    return last_is_single() && position == size - 1 ? 0 : position - near_size;
  }
};

int send_segment_of(Half half, std::size_t i, int to, const Context& context) {
  const Segments segments(half.size(), context.segment_size);
  if (i >= segments.count()) return MPI_SUCCESS;
  return send_segment(half.data() + segments.offset(i), segments.length(i), MPI_BYTE, to, i,
                      context);
}

// `halves[0]` is the near subtree's, and the longer one if they differ.
int send_from_root(const Tree& tree, const Half (&halves)[2], const Context& context) {
  const std::size_t longest = Segments(halves[0].size(), context.segment_size).count();
  for (std::size_t i = 0; i < longest; ++i) {
    for (const int side : {1, 0})
      COLLTREE_TRY(send_segment_of(halves[side], i, tree.children[side], context));
  }
  return MPI_SUCCESS;
}

}  // namespace

int bcast_split_binary(const CollectiveCall& call, const Context& context) {
  const int root = call.root;
  const Placement placement = Placement::from_root(context.size, root);
  const Tree tree = placement.tree(binary_tree, context.rank);
  const Split split(context.size);
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == root, context));
  const std::size_t first = (message.bytes() + 1) / 2;
  const Half halves[2] = {{message.data(), first},
                          {message.data() + first, message.bytes() - first}};
  if (context.rank == root) {
    COLLTREE_TRY(send_from_root(tree, halves, context));
    if (!split.last_is_single()) return MPI_SUCCESS;
    return send_bytes(halves[0].data(), halves[0].size(), placement.rank(context.size - 1),
                      context);
  }
  const int position = placement.position(context.rank);
  const Half mine = halves[split.near(position) ? 0 : 1];
  const Half partner_half = halves[split.near(position) ? 1 : 0];
  const int partner = placement.rank(split.partner(position));
  // A rank that sees an error goes on, as in relay; its partner gets nothing and sees it too.
  const int relayed = relay(tree, mine.data(), mine.size(), context);
  const int exchanged =
      partner == root
          ? receive_bytes(partner_half.data(), partner_half.size(), root, context)
          : exchange_bytes_after(relayed, mine.data(), mine.size(), partner, partner_half.data(),
                                 partner_half.size(), partner, context);
  return first_error(first_error(relayed, exchanged), message.close(context));
}

}  // namespace colltree::algorithms
