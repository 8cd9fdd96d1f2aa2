// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv hierarchical (hierarchical.cpp) and locality. Locality: first each rank
// gathers the blocks of the ranks of its index on all nodes, one lane of as many as a node has
// ranks, then the ranks of a node gather their lanes, so that a block passes to each node once and
// all ranks share that work (Traff, Hunold, Decomposing collectives for exploiting multi-lane
// communication, 2020, on full-lane allgather; to the same end Bienz, Gautam, Kharel, A
// locality-aware Bruck allgather, 2022). With fewer leaders a node than it has ranks (Kandalla,
// Subramoni, Santhanaraman, Koop, Panda, Designing multi-leader- based allgather algorithms for
// multi-core clusters, 2009) a lane is that of a group of neighbours, whose blocks first come to
// its leader.
#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"
#include "algorithms/subgroup.h"

namespace colltree::algorithms {

namespace {

// The blocks of all ranks by position, node after node: in their own places where these have that
// order, else in separate memory.
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

}  // namespace

int allgather_hierarchical(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const NodePlace place(context);
  Subgroup node;
  COLLTREE_TRY(place.open_node(node, context));
  NodeBlocks blocks(g, *context.nodes);
  COLLTREE_TRY(blocks.open(context));
  const Tree tree = knomial_tree(node.size(), node.rank(), 2);
  COLLTREE_TRY(gather_up(tree, node.rank(), node.size(), blocks, place.nodes.first(place.node),
                         node.context()));
  if (place.leads()) {  // among the leaders: what their nodes have
    Subgroup leaders;
    COLLTREE_TRY(place.open_lane(leaders, context));
    COLLTREE_TRY(gather_bytes(leaders, blocks.at(0), [&](int i) {
      return blocks.bytes(place.nodes.first(i), place.nodes.first(i + 1));
    }));
  }
  COLLTREE_TRY(relay(tree, blocks.at(0), blocks.bytes(0, g.size), node.context()));
  return blocks.put_in_place(context);
}

namespace {

// Blocks lie in the order of the lanes (node_layout.h).
class LaneBlocks {
 public:
  LaneBlocks(const Gathering& gathering, const NodePlace& place, const Context& context)
      : g_(gathering), place_(place), context_(context) {}

  int run() {
    if (!lanes_.open(place_.nodes, context_.fanout)) return MPI_ERR_NO_MEM;
    COLLTREE_TRY(place_.open_node(node_, context_));
    COLLTREE_TRY(
        offsets_.set_lengths(g_.size, [this](int i) { return g_.space.bytes(lanes_.rank_at(i)); }));
    lane_begin_ = lanes_.lane_begin(place_.node, place_.index);
    lane_end_ = lanes_.lane_begin(place_.node, place_.index + 1);
    group_lane_ = lane_begin_ < lane_end_ ? lane_begin_ : lane_begin_ - 1;
    const bool is_packed = goes_packed();
    const Range held = range_of(place_.index);
    COLLTREE_TRY(memory_.allocate(is_packed ? offsets_.total() : held.count));
    data_ = memory_.data();
    before_ = is_packed ? 0 : held.first;
    COLLTREE_TRY(gather_group());
    for (int lane = lane_begin_; lane < lane_end_; ++lane) COLLTREE_TRY(gather_lane(lane));
    return is_packed ? exchange_packed() : exchange_blocks();
  }

  std::byte* at(int i) const { return data_ + (offsets_.begin(i) - before_); }
  std::size_t bytes(int first, int end) const { return offsets_.range(first, end).count; }

 private:
  static constexpr std::size_t kMostPacked = 4096;

  // Blocks of up to this many bytes are packed for the exchange within the node; larger ones go one
  // by one. With few leaders nothing is packed, because all ranks would wait for the leaders.
  bool goes_packed() const {
    return offsets_.total() / static_cast<std::size_t>(g_.size) <= kMostPacked ||
           node_.size() > lanes_.lanes();
  }

  // The first block that the rank of this index has when the lanes are gathered.
  int first_of(int index) const { return lanes_.first(lanes_.lane_begin(place_.node, index)); }
  Range range_of(int index) const { return offsets_.range(first_of(index), first_of(index + 1)); }
  int first_of_group() const { return lanes_.first(group_lane_, place_.node); }

  // The blocks of the own group come to its leader, up a binomial tree.
  int gather_group() {
    const int size = lanes_.end(group_lane_, place_.node) - first_of_group();
    const int position = place_.index - lanes_.leader(place_.node, group_lane_);
    copy_bytes(g_.space.at(g_.rank), at(first_of_group() + position), g_.space.bytes(g_.rank),
               context_);
    if (size == 1) return MPI_SUCCESS;
    Subgroup group;
    COLLTREE_TRY(group.open(size, position, context_,
                            [this](int i) { return lanes_.rank_at(first_of_group() + i); }));
    return gather_up(knomial_tree(size, position, 2), position, size, *this, first_of_group(),
                     group.context());
  }

  int gather_lane(int lane) const {
    Subgroup leaders;
    COLLTREE_TRY(place_.open_leaders(lanes_, lane, leaders, context_));
    return gather_bytes(leaders, at(lanes_.first(lane)), [&](int node) {
      return bytes(lanes_.first(lane, node), lanes_.end(lane, node));
    });
  }

  int exchange_packed() const {
    COLLTREE_TRY(gather_bytes(node_, data_, [this](int index) { return range_of(index).count; }));
    for (int i = 0; i < g_.size; ++i)
      COLLTREE_TRY(g_.space.store_from(at(i), lanes_.rank_at(i), context_));
    return MPI_SUCCESS;
  }

  // Each from and to its place, with one rank of the node after the other.
  int exchange_blocks() const {
    const int ranks = node_.size();
    const int here = node_.rank();
    for (int step = 1; step < ranks; ++step) {
      const int to = (here + step) % ranks;
      const int from = (here + ranks - step) % ranks;
      Requests requests;
      for (int i = first_of(from); i < first_of(from + 1); ++i) {
        const int block = lanes_.rank_at(i);
        COLLTREE_TRY(requests.post_receive_bytes(g_.space.at(block), g_.space.bytes(block), from,
                                                 node_.context()));
      }
      for (int i = first_of(here); i < first_of(here + 1); ++i)
        COLLTREE_TRY(requests.post_send_bytes(at(i), offsets_.count(i), to, node_.context()));
      COLLTREE_TRY(requests.wait_all());
    }
    for (int i = first_of(here); i < first_of(here + 1); ++i)
      copy_bytes(at(i), g_.space.at(lanes_.rank_at(i)), offsets_.count(i), context_);
    return g_.close(context_);
  }

  const Gathering& g_;
  const NodePlace& place_;
  const Context& context_;
  NodeLanes lanes_;
  int lane_begin_ = 0;  // those that this rank leads
  int lane_end_ = 0;
  int group_lane_ = 0;  // of the own block
  Subgroup node_;
  Offsets offsets_;  // in the order of the lanes
  Scratch memory_;
  std::byte* data_ = nullptr;
  std::size_t before_ = 0;  // bytes in that order that are not in `data_`
};

}  // namespace

int allgather_locality(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const NodePlace place(context);
  return LaneBlocks(g, place, context).run();
}

}  // namespace colltree::algorithms
