// SPDX-License-Identifier: BSD-3-Clause
// bcast binomial, binary and pipeline: one schedule along three trees.
#include "algorithms/bcast_tree.h"

#include "algorithms/byte_message.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

// Uncut, the message needs no packing: MPI matches the ranks' different types by itself.
int relay_whole(const Tree& tree, const CollectiveCall& call, const Context& context) {
  void* buffer = call.receive;
  const int count = call.receive_count;
  const MPI_Datatype type = call.receive_type;
  if (tree.parent != kNoRank) COLLTREE_TRY(receive(buffer, count, type, tree.parent, context));
  for (int child = tree.child_count - 1; child >= 0; --child)
    COLLTREE_TRY(send(buffer, count, type, tree.children[child], context));
  return MPI_SUCCESS;
}

int bcast_along(TreeShape* shape, const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  std::size_t bytes = 0;
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(message_bytes(call.receive_count, call.receive_type, &bytes));
  const Tree tree = Placement::from_root(size, call.root).tree(shape, rank, context.radix);
  if (context.segment_size == 0 || context.segment_size >= bytes)
    return relay_whole(tree, call, context);
  ByteMessage message;
  COLLTREE_TRY(message.open(call, rank == call.root, context));
  COLLTREE_TRY(relay(tree, message.data(), message.bytes(), context));
  return message.close(context);
}

}  // namespace

int relay(const Tree& tree, std::byte* data, std::size_t bytes, const Context& context) {
  const Segments segments(bytes, context.segment_size);
  Receive incoming[2];
  const auto post = [&](std::size_t i) -> int {
    if (tree.parent == kNoRank || i >= segments.count()) return MPI_SUCCESS;
    return incoming[i % 2].post(data + segments.offset(i), segments.length(i), MPI_BYTE,
                                tree.parent, context);
  };
  COLLTREE_TRY(post(0));
  for (std::size_t i = 0; i < segments.count(); ++i) {
    COLLTREE_TRY(post(i + 1));
    COLLTREE_TRY(incoming[i % 2].wait());
    for (int child = tree.child_count - 1; child >= 0; --child) {
      COLLTREE_TRY(send_segment(data + segments.offset(i), segments.length(i), MPI_BYTE,
                                tree.children[child], i, context));
    }
  }
  return MPI_SUCCESS;
}

namespace rows {

int bcast_binomial(const CollectiveCall& call, const Context& context) {
  return bcast_along(binomial_tree, call, context);
}

int bcast_binary(const CollectiveCall& call, const Context& context) {
  return bcast_along(binary_tree, call, context);
}

int bcast_pipeline(const CollectiveCall& call, const Context& context) {
  return bcast_along(chain_tree, call, context);
}

}  // namespace rows

}  // namespace colltree
