// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv hierarchical (hierarchical.cpp). Locality: allgather_lanes.cpp.
#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

namespace {

// The blocks of all ranks by position, node after node: in their own places where these are so,
// else in memory of their own.
class NodeBlocks {
 public:
  NodeBlocks(const Gathering& gathering, const NodeLayout& nodes) : g_(gathering), nodes_(nodes) {}

  int open(const Context& context) {
    COLLTREE_TRY(offsets_.set_lengths(
        g_.size, [this](int position) { return g_.space.bytes(nodes_.rank_at(position)); }));
    data_ = g_.space.at(0);
    if (nodes_.is_by_blocks()) return MPI_SUCCESS;
    COLLTREE_TRY(memory_.allocate(offsets_.total()));
    data_ = memory_.data();
    copy_bytes(g_.space.at(g_.rank), at(nodes_.position(g_.rank)), g_.space.bytes(g_.rank),
               context);
    return MPI_SUCCESS;
  }

  std::byte* at(int position) const { return data_ + offsets_.begin(position); }
  std::size_t bytes(int first, int end) const { return offsets_.range(first, end).count; }
  std::size_t bytes_of_node(int node) const {
    return bytes(nodes_.first(node), nodes_.first(node + 1));
  }

  int put_in_place(const Context& context) const {
    if (nodes_.is_by_blocks()) return g_.close(context);
    for (int position = 0; position < g_.size; ++position)
      COLLTREE_TRY(g_.space.store_from(at(position), nodes_.rank_at(position), context));
    return MPI_SUCCESS;
  }

 private:
  const Gathering& g_;
  const NodeLayout& nodes_;
  Offsets offsets_;
  Scratch memory_;
  std::byte* data_ = nullptr;
};

// Among the leaders: what their nodes have.
int gather_nodes(const NodePlace& place, const NodeBlocks& blocks, const Context& context) {
  Subgroup leaders;
  COLLTREE_TRY(place.open_lane(leaders, context));
  return gather_bytes(leaders, blocks.at(0), [&](int node) { return blocks.bytes_of_node(node); });
}

}  // namespace

int allgather_hierarchical(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const NodePlace place(*context.nodes, g.rank);
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  NodeBlocks blocks(g, *context.nodes);
  COLLTREE_TRY(blocks.open(context));
  const Tree tree = binomial_tree(node.size(), node.rank(), 2);
  COLLTREE_TRY(gather_up(tree, node.rank(), node.size(), blocks, place.nodes.first(place.node),
                         node.context()));
  if (place.leads()) COLLTREE_TRY(gather_nodes(place, blocks, context));
  COLLTREE_TRY(relay(tree, blocks.at(0), blocks.bytes(0, g.size), node.context()));
  return blocks.put_in_place(context);
}

}  // namespace colltree
