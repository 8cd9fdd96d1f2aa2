// SPDX-License-Identifier: BSD-3-Clause
// bcast binomial, binary and pipeline: one schedule along three trees.
#include "algorithms/bcast_tree.h"

#include "algorithms/byte_message.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

// Uncut, the message needs no packing: MPI matches the ranks' different types by itself.
int relay_whole(const Tree& tree, void* buffer, int count, MPI_Datatype type,
                const Context& context) {
  if (tree.parent != kNoRank) COLLTREE_TRY(receive(buffer, count, type, tree.parent, context));
  for (int child = tree.child_count - 1; child >= 0; --child)
    COLLTREE_TRY(send(buffer, count, type, tree.children[child], context));
  return MPI_SUCCESS;
}

int bcast_along(TreeShape* shape, void* buffer, int count, MPI_Datatype type, int root,
                const Context& context) {
  int rank = 0;
  int size = 0;
  std::size_t bytes = 0;
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(message_bytes(count, type, &bytes));
  if (size == 1) return MPI_SUCCESS;
  const Tree tree = Placement::from_root(size, root).tree(shape, rank);
  if (context.segment_size == 0 || context.segment_size >= bytes)
    return relay_whole(tree, buffer, count, type, context);
  ByteMessage message;
  COLLTREE_TRY(message.open(buffer, count, type, rank == root, context));
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

int bcast_binomial(void* buffer, int count, MPI_Datatype type, int root, const Context& context) {
  return bcast_along(binomial_tree, buffer, count, type, root, context);
}

int bcast_binary(void* buffer, int count, MPI_Datatype type, int root, const Context& context) {
  return bcast_along(binary_tree, buffer, count, type, root, context);
}

int bcast_pipeline(void* buffer, int count, MPI_Datatype type, int root, const Context& context) {
  return bcast_along(chain_tree, buffer, count, type, root, context);
}

}  // namespace rows

}  // namespace colltree
