// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv that know the nodes. Hierarchical: hierarchical.cpp. Locality: first
// each rank gathers the blocks of the ranks of its index on all nodes, one lane of as many as a
// node has ranks, then the ranks of a node gather their lanes, so that a block passes to each node
// once and all ranks share that work (Traff, Hunold, Decomposing collectives for exploiting
// multi-lane communication, 2020, on full-lane allgather; to the same end Bienz, Gautam, Kharel, A
// locality-aware Bruck allgather, 2022).
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

int hierarchical(const CollectiveCall& call, const Context& context) {
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

// Every node has equally many ranks. Blocks lie lane after lane, in a lane node after node.
class Lanes {
 public:
  Lanes(const Gathering& gathering, const NodePlace& place, const Context& context)
      : g_(gathering), place_(place), nodes_(place.nodes.nodes()), context_(context) {}

  int run() {
    COLLTREE_TRY(place_.open_node(node_, context_));
    COLLTREE_TRY(
        offsets_.set_lengths(g_.size, [this](int i) { return g_.space.bytes(rank_of(i)); }));
    // Up to so many bytes a block what the node exchanges is packed, else it goes block by block.
    const bool is_packed = offsets_.total() / static_cast<std::size_t>(g_.size) <= kMostPacked;
    const Range own = lane_range(node_.rank());
    COLLTREE_TRY(memory_.allocate(is_packed ? offsets_.total() : own.count));
    data_ = memory_.data();
    own_ = data_ + (is_packed ? own.first : 0);
    COLLTREE_TRY(gather_lane());
    return is_packed ? exchange_packed() : exchange_blocks();
  }

 private:
  static constexpr std::size_t kMostPacked = 4096;

  int first(int lane) const { return lane * nodes_; }
  int rank_of(int i) const { return place_.nodes.rank(i % nodes_, i / nodes_); }
  Range lane_range(int lane) const { return offsets_.range(first(lane), first(lane + 1)); }
  std::byte* in_own(int i) const {
    return own_ + (offsets_.begin(i) - offsets_.begin(first(node_.rank())));
  }

  int gather_lane() const {
    Subgroup lane;
    COLLTREE_TRY(place_.open_lane(lane, context_));
    const int begin = first(node_.rank());
    copy_bytes(g_.space.at(g_.rank), in_own(begin + lane.rank()), g_.space.bytes(g_.rank),
               context_);
    return gather_bytes(lane, own_, [&](int i) { return offsets_.count(begin + i); });
  }

  int exchange_packed() const {
    COLLTREE_TRY(gather_bytes(node_, data_, [&](int lane) { return lane_range(lane).count; }));
    for (int i = 0; i < g_.size; ++i)
      COLLTREE_TRY(g_.space.store_from(data_ + offsets_.begin(i), rank_of(i), context_));
    return MPI_SUCCESS;
  }

  // Each from and to its place, a lane to and from one rank of the node after the other.
  int exchange_blocks() const {
    const int ranks = node_.size();
    const int here = node_.rank();
    for (int step = 1; step < ranks; ++step) {
      const int to = (here + step) % ranks;
      const int from = (here + ranks - step) % ranks;
      Requests requests;
      for (int i = first(from); i < first(from + 1); ++i) {
        const int block = rank_of(i);
        COLLTREE_TRY(requests.post_receive_bytes(g_.space.at(block), g_.space.bytes(block), from,
                                                 node_.context()));
      }
      for (int i = first(here); i < first(here + 1); ++i)
        COLLTREE_TRY(requests.post_send_bytes(in_own(i), offsets_.count(i), to, node_.context()));
      COLLTREE_TRY(requests.wait_all());
    }
    for (int i = first(here); i < first(here + 1); ++i)
      copy_bytes(in_own(i), g_.space.at(rank_of(i)), offsets_.count(i), context_);
    return g_.close(context_);
  }

  const Gathering& g_;
  const NodePlace& place_;
  int nodes_;
  const Context& context_;
  Subgroup node_;
  Offsets offsets_;
  Scratch memory_;
  std::byte* data_ = nullptr;
  std::byte* own_ = nullptr;  // the own lane
};

int locality(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const NodePlace place(*context.nodes, g.rank);
  return Lanes(g, place, context).run();
}

}  // namespace

namespace rows {

int allgather_hierarchical(const CollectiveCall& call, const Context& context) {
  return hierarchical(call, context);
}
int allgatherv_hierarchical(const CollectiveCall& call, const Context& context) {
  return hierarchical(call, context);
}
int allgather_locality(const CollectiveCall& call, const Context& context) {
  return locality(call, context);
}
int allgatherv_locality(const CollectiveCall& call, const Context& context) {
  return locality(call, context);
}

}  // namespace rows

}  // namespace colltree
