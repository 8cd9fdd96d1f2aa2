// SPDX-License-Identifier: BSD-3-Clause
// Some ranks of a call that carry out a part of its schedule, itself a collective, among
// themselves. Their messages travel where the call's do: no communicator is made.
#pragma once

#include <memory>
#include <new>

#include "algorithms/algorithms.h"
#include "algorithms/node_layout.h"
#include "algorithms/transfer.h"
#include "base/not_copied.h"

namespace colltree::algorithms {

class Subgroup : NotCopied {
 public:
  // `rank_of(i)`: the call's rank that is rank i of the group; this one is `rank`. `whole` is
  // copied.
  template <typename RankOf>
  int open(int size, int rank, const Context& whole, RankOf rank_of) {
    ranks_.reset(new (std::nothrow) int[static_cast<std::size_t>(size)]);
    if (ranks_ == nullptr) return MPI_ERR_NO_MEM;
    for (int i = 0; i < size; ++i) ranks_[i] = peer(rank_of(i), whole);
    context_ = whole;
    context_.ranks = ranks_.get();
    context_.rank = rank;
    context_.size = size;
    context_.nodes = nullptr;
    context_.shared = context_.node_memory = nullptr;
    context_.segment_size = 0;  // what bare names mean
    context_.radix = 2;
    context_.requests = 0;
    context_.fanout = 0;
    return MPI_SUCCESS;
  }

  int rank() const { return context_.rank; }
  int size() const { return context_.size; }
  const Context& context() const { return context_; }

  // They go by this memory, which they have opened; null: by messages.
  void share(SharedMemory* memory) { context_.shared = memory; }
  bool shares() const { return context_.shared != nullptr; }

  // A row that has no needs, or whose needs are met here.
  int run(AlgorithmFunction* row, const CollectiveCall& call) const {
    return size() == 1 ? run_alone(call, context_) : row(call, context_);
  }
  int run(AlgorithmFunction* by_messages, AlgorithmFunction* by_memory,
          const CollectiveCall& call) const {
    return run(shares() ? by_memory : by_messages, call);
  }

 private:
  std::unique_ptr<int[]> ranks_;
  Context context_;
};

// This rank's place among the nodes of a call.
struct NodePlace {
  const NodeLayout& nodes;
  int node;
  int index;

  explicit NodePlace(const Context& context)
      : nodes(*context.nodes),
        node(nodes.node_of(context.rank)),
        index(nodes.position(context.rank) - nodes.first(node)) {}

  bool leads() const { return index == 0; }

  // The ranks of this node, with the memory that the Context has for them.
  int open_node(Subgroup& group, const Context& whole) const {
    COLLTREE_TRY(group.open(nodes.ranks_on(node), index, whole,
                            [this](int i) { return nodes.rank(node, i); }));
    group.share(whole.node_memory);
    return MPI_SUCCESS;
  }
  // The ranks of this index on all nodes, which must have one. Of index 0: the nodes' leaders.
  int open_lane(Subgroup& group, const Context& whole) const {
    return group.open(nodes.nodes(), node, whole, [this](int i) { return nodes.rank(i, index); });
  }
  // The ranks that lead this lane on all nodes; this rank must be one.
  int open_leaders(const NodeLanes& lanes, int lane, Subgroup& group, const Context& whole) const {
    return group.open(nodes.nodes(), node, whole,
                      [&](int i) { return nodes.rank(i, lanes.leader(i, lane)); });
  }
};

}  // namespace colltree::algorithms
