// SPDX-License-Identifier: BSD-3-Clause
// bcast split_binary: the two halves of the message go down the two subtrees of a binary tree; then
// each rank of one subtree exchanges its half with a partner in the other.
#include "algorithms/bcast_tree.h"
#include "algorithms/byte_message.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

struct Half {
  std::byte* data;
  std::size_t bytes;
};

// Positions of binary_tree(): 0 the root, 1..near_size the adjacent subtree, the rest the other,
// which has as many nodes or one more. That one, the last position, has no partner.
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

int send_segment_of(const Half& half, std::size_t i, int to, const Context& context) {
  const Segments segments(half.bytes, context.segment_size);
  if (i >= segments.count()) return MPI_SUCCESS;
  return send_segment(half.data + segments.offset(i), segments.length(i), MPI_BYTE, to, i, context);
}

// `halves[0]` is the near subtree's, and the longer one if they differ.
int send_from_root(const Tree& tree, const Half (&halves)[2], const Context& context) {
  const std::size_t longest = Segments(halves[0].bytes, context.segment_size).count();
  for (std::size_t i = 0; i < longest; ++i) {
    for (const int side : {1, 0})
      COLLTREE_TRY(send_segment_of(halves[side], i, tree.children[side], context));
  }
  return MPI_SUCCESS;
}

}  // namespace

int bcast_split_binary(const CollectiveCall& call, const Context& context) {
  const int root = call.root;
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  const Placement placement = Placement::from_root(size, root);
  const Tree tree = placement.tree(binary_tree, rank);
  const Split split(size);
  ByteMessage message;
  COLLTREE_TRY(message.open(call, rank == root, context));
  const std::size_t first = (message.bytes() + 1) / 2;
  const Half halves[2] = {{message.data(), first},
                          {message.data() + first, message.bytes() - first}};
  if (rank == root) {
    COLLTREE_TRY(send_from_root(tree, halves, context));
    if (!split.last_is_single()) return MPI_SUCCESS;
    return send_bytes(halves[0].data, halves[0].bytes, placement.rank(size - 1), context);
  }
  const int position = placement.position(rank);
  const Half& mine = halves[split.near(position) ? 0 : 1];
  const Half& other = halves[split.near(position) ? 1 : 0];
  const int partner = placement.rank(split.partner(position));
  // As in relay: a rank that sees an error goes on, its partner gets nothing and sees it too.
  const int relayed = relay(tree, mine.data, mine.bytes, context);
  const int exchanged = partner == root
                            ? receive_bytes(other.data, other.bytes, root, context)
                            : exchange_bytes_after(relayed, mine.data, mine.bytes, partner,
                                                   other.data, other.bytes, partner, context);
  return first_error(first_error(relayed, exchanged), message.close(context));
}

}  // namespace colltree
