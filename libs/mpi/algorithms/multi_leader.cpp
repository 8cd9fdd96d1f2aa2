// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce multi_leader: every rank leads its node for a part of the message, so
// that all of a node's ranks speak with other nodes at once (Traff, Hunold, Decomposing collectives
// for exploiting multi-lane communication, 2020, on full-lane broadcast and reductions; allreduce
// also Bayatpour, Chakraborty, Subramoni, Lu, Panda, Scalable reduction collectives with data
// partitioning-based multi-leader design, 2017). With fewer leaders than a node has ranks
// these have the parts; on a node of fewer ranks than there are parts some have several.
#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"
#include "algorithms/reduction.h"
#include "algorithms/subgroup.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// A part of up to this many bytes is sent whole, in the fewest steps.
constexpr std::size_t kShortPart = 16384;

// This rank's node, and the lanes that it leads there (node_layout.h): a lane has one part of the
// message.
struct NodeAndLanes {
  NodePlace place;
  Subgroup node;
  NodeLanes lanes;

  explicit NodeAndLanes(const Context& context) : place(context) {}
  int open(const Context& context) {
    COLLTREE_TRY(place.open_node(node, context));
    return lanes.open(place.nodes, context.fanout) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
  }

  int begin(int index) const { return lanes.lane_begin(place.node, index); }
  int begin() const { return begin(place.index); }
  int end() const { return begin(place.index + 1); }
};

// A broadcast message cut for the leaders of a node.
class BcastParts {
 public:
  BcastParts(const CollectiveCall& call, const Context& context)
      : own_(context),
        roots_node_(context.nodes->node_of(call.root)),
        roots_index_(context.nodes->index_of(call.root)) {}

  int run(const CollectiveCall& call, const Context& context) {
    COLLTREE_TRY(own_.open(context));
    const bool is_root = holds() && own_.place.index == roots_index_;
    COLLTREE_TRY(message_.open(call, is_root, context));
    COLLTREE_TRY(parts_.set_parts(own_.lanes.lanes(), message_.bytes()));
    const bool shares = own_.node.shares();
    if (holds() && shares) COLLTREE_TRY(share({0, message_.bytes()}, roots_index_));
    if (holds() && !shares) COLLTREE_TRY(is_root ? scatter() : take_part());
    for (int lane = own_.begin(); lane < own_.end(); ++lane) COLLTREE_TRY(pass_on(lane, context));
    for (int i = 0; shares && !holds() && i < own_.node.size(); ++i)
      COLLTREE_TRY(share(parts_of(i), i));
    if (!shares)
      COLLTREE_TRY(
          gather_bytes(own_.node, message_.data(), [this](int i) { return parts_of(i).count; }));
    return message_.close(context);
  }

 private:
  bool holds() const { return own_.place.node == roots_node_; }
  // The parts of the lanes that the rank of this index leads.
  Range parts_of(int index) const { return parts_.range(own_.begin(index), own_.begin(index + 1)); }
  std::byte* at(Range range) const { return message_.data() + range.first; }

  // From the rank of this index to the others of its node, through their memory.
  int share(Range range, int from) const {
    const Segments pieces(range.count, 0);
    for (std::size_t i = 0; i < pieces.count(); ++i) {
      COLLTREE_TRY(own_.node.run(
          bcast_shared_memory,
          bcast_call(at(range) + pieces.offset(i), pieces.length(i), MPI_BYTE, from)));
    }
    return MPI_SUCCESS;
  }
  int scatter() const {
    Requests requests;
    for (int i = 0; i < own_.node.size(); ++i) {
      if (i == roots_index_) continue;
      const Range parts = parts_of(i);
      COLLTREE_TRY(requests.post_send_bytes(at(parts), parts.count, i, own_.node.context()));
    }
    return requests.wait_all();
  }
  int take_part() const {
    const Range parts = parts_of(own_.node.rank());
    return receive_bytes(at(parts), parts.count, roots_index_, own_.node.context());
  }

  // Down the lane; a long part in segments along a tree of few children.
  int pass_on(int lane, const Context& context) const {
    Subgroup leaders;
    COLLTREE_TRY(own_.place.open_leaders(own_.lanes, lane, leaders, context));
    const Range part = parts_.range(lane);
    const bool is_short = part.count <= kShortPart;
    Context cut = leaders.context();
    cut.segment_size = is_short ? 0 : kShortPart;
    const Tree tree = Placement::from_root(leaders.size(), roots_node_)
                          .tree(is_short ? knomial_tree : binary_tree, leaders.rank());
    return relay(tree, at(part), part.count, cut);
  }

  NodeAndLanes own_;
  int roots_node_;
  int roots_index_;
  ByteMessage message_;
  Offsets parts_;  // by lane
};

// The parts of a reduction, as MPI counts them.
class ReduceParts {
 public:
  ReduceParts(const Reduction& reduction, const Context& context)
      : r_(reduction), context_(context), own_(context) {}

  const NodePlace& place() const { return own_.place; }
  const Subgroup& node() const { return own_.node; }
  const int* counts() const { return counts_.get(); }  // of each rank of the node
  const int* begins() const { return begins_; }
  int count() const { return counts_[own_.node.rank()]; }
  void* data() const { return data_; }

  // This node's contributions to each part come to its leader.
  int scatter() {
    COLLTREE_TRY(own_.open(context_));
    COLLTREE_TRY(parts_.set_parts(own_.lanes.lanes(), r_.count));
    COLLTREE_TRY(count_parts());
    if (own_.node.shares()) return add_up_all();
    COLLTREE_TRY(folds_.allocate(r_.layout, static_cast<std::size_t>(count())));
    data_ = folds_.data();
    return own_.node.run(
        reduce_scatter_circulant,
        reduce_scatter_call(r_.own, folds_.data(), counts_.get(), r_.layout.type, r_.op));
  }

  // Calls among(leaders of a lane, its part, elements, whether an algorithm of more steps and fewer
  // bytes pays) for each lane that this rank leads.
  template <typename Among>
  int for_each_lane(Among among) const {
    const std::size_t before = parts_.begin(own_.begin());
    for (int lane = own_.begin(); lane < own_.end(); ++lane) {
      const Range part = parts_.range(lane);
      if (part.count == 0) continue;
      Subgroup leaders;
      COLLTREE_TRY(own_.place.open_leaders(own_.lanes, lane, leaders, context_));
      COLLTREE_TRY(among(leaders, r_.layout.element(data_, part.first - before),
                         static_cast<int>(part.count), part.count * r_.layout.size > kShortPart));
    }
    return MPI_SUCCESS;
  }

  // All ranks of a node that share memory get the parts of each.
  int share_out() const {
    for (int i = 0; i < own_.node.size(); ++i) {
      void* const part = r_.layout.element(whole_, static_cast<std::size_t>(begins_[i]));
      COLLTREE_TRY(
          own_.node.run(bcast_shared_memory, bcast_call(part, counts_[i], r_.layout.type, i)));
    }
    return MPI_SUCCESS;
  }

 private:
  // Each rank adds up the other ranks' parts, too: shared memory makes that cost little more.
  int add_up_all() {
    whole_ = r_.result;
    if (whole_ == nullptr) {
      COLLTREE_TRY(folds_.allocate(r_.layout, r_.count));
      whole_ = folds_.data();
    }
    data_ = r_.layout.element(whole_, parts_.begin(own_.begin()));
    return own_.node.run(allreduce_shared_memory,
                         allreduce_call(r_.in_place() ? MPI_IN_PLACE : r_.own, whole_,
                                        static_cast<int>(r_.count), r_.layout.type, r_.op));
  }
  int count_parts() {
    const int ranks = own_.node.size();
    counts_.reset(new (std::nothrow) int[2 * static_cast<std::size_t>(ranks)]);
    if (counts_ == nullptr) return MPI_ERR_NO_MEM;
    begins_ = counts_.get() + ranks;
    for (int i = 0; i < ranks; ++i) {
      const Range parts = parts_.range(own_.begin(i), own_.begin(i + 1));
      counts_[i] = static_cast<int>(parts.count);
      begins_[i] = static_cast<int>(parts.first);
    }
    return MPI_SUCCESS;
  }

  const Reduction& r_;
  const Context& context_;
  NodeAndLanes own_;
  Offsets parts_;  // by lane
  std::unique_ptr<int[]> counts_;
  int* begins_ = nullptr;
  Scratch folds_;
  void* data_ = nullptr;   // the own parts
  void* whole_ = nullptr;  // every rank's parts, where those of the node share memory
};

// The parts of the root's node come to the root.
int gather_parts(const Reduction& r, const ReduceParts& parts, int roots_index) {
  const Subgroup& node = parts.node();
  if (node.shares()) return parts.share_out();
  const auto elements = [&](int i) { return static_cast<std::size_t>(parts.counts()[i]); };
  if (r.rank != r.root)
    return send_elements(parts.data(), elements(node.rank()), r.layout, roots_index,
                         node.context());
  for (int i = 0; i < node.size(); ++i) {
    void* place = r.layout.element(r.result, static_cast<std::size_t>(parts.begins()[i]));
    COLLTREE_TRY(i == roots_index
                     ? copy(parts.data(), place, elements(i), r.layout, node.context())
                     : receive_elements(place, elements(i), r.layout, i, node.context()));
  }
  return MPI_SUCCESS;
}

}  // namespace

int bcast_multi_leader(const CollectiveCall& call, const Context& context) {
  return BcastParts(call, context).run(call, context);
}

int reduce_multi_leader(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  ReduceParts parts(r, context);
  COLLTREE_TRY(parts.scatter());
  const int roots_node = context.nodes->node_of(r.root);
  const bool ends_here = parts.place().node == roots_node;
  COLLTREE_TRY(
      parts.for_each_lane([&](const Subgroup& leaders, void* part, int elements, bool is_long) {
        return leaders.run(is_long ? reduce_rabenseifner : reduce_knomial,
                           reduce_call(ends_here ? MPI_IN_PLACE : part, part, elements,
                                       r.layout.type, r.op, roots_node));
      }));
  return ends_here ? gather_parts(r, parts, context.nodes->index_of(r.root)) : MPI_SUCCESS;
}

int allreduce_multi_leader(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  ReduceParts parts(r, context);
  COLLTREE_TRY(parts.scatter());
  COLLTREE_TRY(
      parts.for_each_lane([&](const Subgroup& leaders, void* part, int elements, bool is_long) {
        return leaders.run(is_long ? allreduce_circulant : allreduce_recursive_doubling,
                           allreduce_call(MPI_IN_PLACE, part, elements, r.layout.type, r.op));
      }));
  if (parts.node().shares()) return parts.share_out();
  return parts.node().run(allgather_bruck,
                          allgatherv_call(parts.data(), parts.count(), r.layout.type, r.result,
                                          parts.counts(), parts.begins(), r.layout.type));
}

}  // namespace colltree::algorithms
