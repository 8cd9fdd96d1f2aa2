// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce multi_leader: every rank leads its node for a part of the message, so
// that all of a node's ranks speak with other nodes at once (Traff, Hunold, Decomposing collectives
// for exploiting multi-lane communication, 2020, on full-lane broadcast and reductions; allreduce
// also Bayatpour, Chakraborty, Subramoni, Lu, Panda, Scalable reduction collectives with data
// partitioning-based multi-leader design, 2017). Every node has equally many ranks. With fewer
// leaders than these the first ranks of a node have the parts.
#include "algorithms/bcast_tree.h"
#include "algorithms/byte_message.h"
#include "algorithms/gathering.h"
#include "algorithms/power_group.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

namespace {

// Up to so many bytes of a part it goes whole, in the fewest steps.
constexpr std::size_t kShortPart = 16384;

// This rank's node, and the ranks of its index on all nodes.
struct NodeAndLane {
  NodePlace place;
  Subgroup node;
  Subgroup lane;

  NodeAndLane(const Context& context, int rank) : place(*context.nodes, rank) {}
  int open(const Context& context) {
    COLLTREE_TRY(place.open_node(node, context));
    return place.open_lane(lane, context);
  }
};

int leaders_of(int ranks, const Context& context) {
  return context.fanout == 0 ? ranks : std::min(context.fanout, ranks);
}

// A broadcast message cut for the leaders of a node.
class BcastParts {
 public:
  BcastParts(const CollectiveCall& call, int rank, const Context& context)
      : lanes_(context, rank),
        roots_node_(context.nodes->node_of(call.root)),
        roots_index_(context.nodes->index_of(call.root)) {}

  int run(const CollectiveCall& call, const Context& context) {
    COLLTREE_TRY(lanes_.open(context));
    const bool is_root = holds() && lanes_.place.index == roots_index_;
    COLLTREE_TRY(message_.open(call, is_root, context));
    const int ranks = lanes_.node.size();
    const EqualParts parts(message_.bytes(), leaders_of(ranks, context));
    COLLTREE_TRY(parts_.set_lengths(ranks, [&](int i) { return parts.length(i); }));
    if (holds()) COLLTREE_TRY(is_root ? scatter() : take_part());
    COLLTREE_TRY(pass_on());
    COLLTREE_TRY(
        gather_bytes(lanes_.node, message_.data(), [this](int i) { return parts_.count(i); }));
    return message_.close(context);
  }

 private:
  bool holds() const { return lanes_.place.node == roots_node_; }
  std::byte* part(int index) const { return message_.data() + parts_.begin(index); }

  int scatter() const {
    Requests requests;
    for (int i = 0; i < parts_.blocks(); ++i) {
      if (i == roots_index_) continue;
      COLLTREE_TRY(requests.post_send_bytes(part(i), parts_.count(i), i, lanes_.node.context()));
    }
    return requests.wait_all();
  }
  int take_part() const {
    const int own = lanes_.node.rank();
    return receive_bytes(part(own), parts_.count(own), roots_index_, lanes_.node.context());
  }

  // Down the lane; a long part in segments along a tree of few children.
  int pass_on() const {
    const int own = lanes_.node.rank();
    const bool is_short = parts_.count(own) <= kShortPart;
    Context cut = lanes_.lane.context();
    cut.segment_size = is_short ? 0 : kShortPart;
    const Tree tree = Placement::from_root(lanes_.lane.size(), roots_node_)
                          .tree(is_short ? binomial_tree : binary_tree, lanes_.lane.rank());
    return relay(tree, part(own), parts_.count(own), cut);
  }

  NodeAndLane lanes_;
  int roots_node_;
  int roots_index_;
  ByteMessage message_;
  Offsets parts_;
};

// The parts of a reduction, as MPI counts them.
class ReduceParts {
 public:
  explicit ReduceParts(const Reduction& reduction, const Context& context)
      : r_(reduction), lanes_(context, reduction.rank) {}

  const NodeAndLane& lanes() const { return lanes_; }
  const int* counts() const { return counts_.get(); }
  const int* begins() const { return begins_; }
  int count() const { return counts_[lanes_.node.rank()]; }
  void* own() const { return own_.data(); }
  // Whether an algorithm of more steps and fewer bytes pays.
  bool is_long() const { return static_cast<std::size_t>(count()) * r_.layout.size > kShortPart; }

  // This node's contributions to each part come to its rank.
  int scatter(const Context& context) {
    COLLTREE_TRY(lanes_.open(context));
    COLLTREE_TRY(cut(lanes_.node.size(), leaders_of(lanes_.node.size(), context)));
    COLLTREE_TRY(own_.allocate(r_.layout, static_cast<std::size_t>(count())));
    return lanes_.node.run(
        rows::reduce_scatter_circulant,
        reduce_scatter_call(r_.own, own_.data(), counts_.get(), r_.layout.type, r_.op));
  }

 private:
  int cut(int ranks, int leaders) {
    const auto n = static_cast<std::size_t>(ranks);
    counts_.reset(new (std::nothrow) int[2 * n]);
    if (counts_ == nullptr) return MPI_ERR_NO_MEM;
    const EqualParts parts(r_.count, leaders);
    begins_ = counts_.get() + n;
    for (int i = 0; i < ranks; ++i) {
      counts_[i] = static_cast<int>(parts.length(i));
      begins_[i] = i == 0 ? 0 : begins_[i - 1] + counts_[i - 1];
    }
    return MPI_SUCCESS;
  }

  const Reduction& r_;
  NodeAndLane lanes_;
  std::unique_ptr<int[]> counts_;
  int* begins_ = nullptr;
  Scratch own_;
};

// The parts of the root's node come to the root.
int gather_parts(const Reduction& r, const ReduceParts& parts, int roots_index) {
  const Subgroup& node = parts.lanes().node;
  const auto elements = [&](int i) { return static_cast<std::size_t>(parts.counts()[i]); };
  if (r.rank != r.root)
    return send_elements(parts.own(), elements(node.rank()), r.layout, roots_index, node.context());
  for (int i = 0; i < node.size(); ++i) {
    void* place = r.layout.element(r.result, static_cast<std::size_t>(parts.begins()[i]));
    COLLTREE_TRY(i == roots_index
                     ? copy(parts.own(), place, elements(i), r.layout, node.context())
                     : receive_elements(place, elements(i), r.layout, i, node.context()));
  }
  return MPI_SUCCESS;
}

}  // namespace

namespace rows {

int bcast_multi_leader(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  return BcastParts(call, rank, context).run(call, context);
}

int reduce_multi_leader(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  ReduceParts parts(r, context);
  COLLTREE_TRY(parts.scatter(context));
  const NodeAndLane& lanes = parts.lanes();
  const int roots_node = context.nodes->node_of(r.root);
  const bool ends_here = lanes.place.node == roots_node;
  if (parts.count() > 0) {
    const void* own = ends_here ? MPI_IN_PLACE : parts.own();
    COLLTREE_TRY(lanes.lane.run(
        parts.is_long() ? reduce_rabenseifner : reduce_binomial,
        reduce_call(own, parts.own(), parts.count(), r.layout.type, r.op, roots_node)));
  }
  return ends_here ? gather_parts(r, parts, context.nodes->index_of(r.root)) : MPI_SUCCESS;
}

int allreduce_multi_leader(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  ReduceParts parts(r, context);
  COLLTREE_TRY(parts.scatter(context));
  const NodeAndLane& lanes = parts.lanes();
  if (parts.count() > 0) {
    COLLTREE_TRY(lanes.lane.run(
        parts.is_long() ? allreduce_circulant : allreduce_recursive_doubling,
        allreduce_call(MPI_IN_PLACE, parts.own(), parts.count(), r.layout.type, r.op)));
  }
  return lanes.node.run(allgatherv_bruck,
                        allgatherv_call(parts.own(), parts.count(), r.layout.type, r.result,
                                        parts.counts(), parts.begins(), r.layout.type));
}

}  // namespace rows

}  // namespace colltree
