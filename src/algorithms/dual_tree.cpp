// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce dual_tree: half of the message goes along each of two trees, in
// segments (trees.h names the paper). In allreduce the trees stand on all ranks: each half
// comes to its tree's root and goes back from there.
// allreduce dual_root: the ranks are two halves, each a binary tree numbered in post-order.
// Segments go up both trees, are exchanged by the two roots, and come down while later ones go up:
// a rank sends a sum up and takes a result from above in one exchange (Traff, A doubly-pipelined,
// dual-root reduction-to-all algorithm and implementation, 2021, algorithm 1). Keeps rank order.
#include <algorithm>
#include <cstdint>

#include "algorithms/bcast_tree.h"
#include "algorithms/block_space.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/reduction.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Alternates the steps of both trees; the second tree starts `lag` steps later.
template <typename Part, typename Step>
int in_turns(Part& first, Part& second, std::size_t lag, Step step) {
  COLLTREE_TRY(first.open());
  COLLTREE_TRY(second.open());
  for (std::size_t i = 0; i < std::max(first.steps(), second.steps() + lag); ++i) {
    if (i < first.steps()) COLLTREE_TRY(step(first, i));
    if (i >= lag && i - lag < second.steps()) COLLTREE_TRY(step(second, i - lag));
  }
  COLLTREE_TRY(first.close());
  return second.close();
}

Range half(std::size_t count, int which) {
  const std::size_t larger = (count + 1) / 2;
  return which == 0 ? Range{0, larger} : Range{larger, count - larger};
}

// Forwards before it waits as a leaf, and for a segment as many steps earlier as this takes to come
// down: else ranks near one tree's root would wait for what passes all levels of the other.
int pass_down(const TwoTrees& two, void* data, std::size_t count, std::size_t per_segment,
              const TypeLayout& layout, const Context& context) {
  Context overlapping = context;
  overlapping.requests = 2;
  const int inner = two.inner();
  const bool leaf = two.tree[1 - inner].child_count == 0;
  const std::size_t lag = leaf ? static_cast<std::size_t>(two.levels) : 0;
  const auto part = [&](int which, std::size_t ahead) -> Relay {
    const Range part_range = half(count, which);
    return {two.tree[which],
            layout.element(data, part_range.first),
            Segments(part_range.count, per_segment),
            layout,
            overlapping,
            ahead};
  };
  Relay forwarding = part(inner, 1);
  Relay waiting = part(1 - inner, lag + 2);
  int received = MPI_SUCCESS;
  COLLTREE_TRY(in_turns(forwarding, waiting, lag,
                        [&](Relay& relay, std::size_t i) { return relay.step(i, &received); }));
  return received;
}

// Sends as a leaf before it waits for others, who may wait for that, and likewise runs ahead.
int fold_up(const TwoTrees& two, const Reduction& r, const Context& context) {
  Reduction halves[2] = {r, r};
  for (int which : {0, 1}) {
    const Range part_range = half(r.count, which);
    halves[which].own = r.layout.element(r.own, part_range.first);
    halves[which].result = nullptr;
    if (two.tree[which].parent == kNoRank)
      halves[which].result = r.layout.element(r.result, part_range.first);
    halves[which].count = part_range.count;
  }
  const auto part = [&](int which, int in_flight) -> TreeFold {
    return {two.tree[which], halves[which], halves[which].result, context, in_flight};
  };
  const int inner = two.inner();
  const bool leaf = two.tree[1 - inner].child_count == 0;
  const int lag = leaf ? two.levels : 0;
  TreeFold ahead = part(1 - inner, lag + 1);
  TreeFold folding = part(inner, 1);
  return in_turns(ahead, folding, static_cast<std::size_t>(lag),
                  [](TreeFold& fold, std::size_t i) { return fold.step(i); });
}

}  // namespace

int bcast_dual_tree(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  ByteMessage message;
  COLLTREE_TRY(message.open(call, rank == call.root, context));
  const int error = pass_down(TwoTrees::below(call.root, size, rank), message.data(),
                              message.bytes(), context.segment_size, bytes_layout(), context);
  return first_error(error, message.close(context));
}

int reduce_dual_tree(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return fold_up(TwoTrees::below(r.root, r.size, r.rank), r, context);
}

int allreduce_dual_tree(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const TwoTrees two = TwoTrees::over_all(r.size, r.rank);
  COLLTREE_TRY(fold_up(two, r, context));
  return pass_down(two, r.result, r.count, elements_per_segment(context, r.layout), r.layout,
                   context);
}

namespace {

// This rank's neighbours. A subtree is a range of ranks that ends at its root, the adjacent child's
// next to it. A root's parent is the other root.
struct DualTree {
  Tree tree;
  int depth = 0;

  DualTree(int size, int rank) {
    const int middle = size / 2;
    const int first = rank < middle ? 0 : middle;
    const int ranks = rank < middle ? middle : size - middle;
    const Placement placement = Placement::downwards(ranks);
    tree = placement.tree(binary_tree, rank - first);
    for (int position = placement.position(rank - first); position != 0; ++depth)
      position = binary_tree(ranks, position, 2).parent;
    for (int i = 0; i < tree.child_count; ++i) tree.children[i] += first;
    if (tree.parent != kNoRank)
      tree.parent += first;
    else
      tree.parent = rank < middle ? size - 1 : middle - 1;
  }
};

class DualRoot {
 public:
  DualRoot(const Reduction& r, const Context& context)
      : r_(r),
        context_(context),
        neighbours_(r.size, r.rank),
        segments_(r.count, elements_per_segment(context, r.layout)) {}

  // In step i segment i comes from the children and goes on; a child at depth d gets back what went
  // on d steps before.
  int run() {
    const Tree& tree = neighbours_.tree;
    const int depth = neighbours_.depth;
    const std::int64_t steps = blocks() + depth + (tree.child_count > 0 ? 1 : 0);
    COLLTREE_TRY(arrived_.allocate(r_.layout, segments_.longest()));
    for (std::int64_t i = 0; i < steps; ++i) {
      summed_ = r_.in_place();
      for (int child = 0; child < tree.child_count; ++child)
        COLLTREE_TRY(fold_in(i - (depth + 1), i, tree.children[child]));
      COLLTREE_TRY(depth == 0 ? fold_in(i, i, tree.parent) : pass(i, i - depth));
    }
    return MPI_SUCCESS;
  }

 private:
  std::int64_t blocks() const { return static_cast<std::int64_t>(segments_.count()); }
  std::size_t length(std::int64_t i) const {
    if (i < 0 || i >= blocks()) return 0;
    return static_cast<std::size_t>(segments_.length(static_cast<std::size_t>(i)));
  }
  std::size_t offset(std::int64_t i) const {
    return length(i) == 0 ? 0 : segments_.offset(static_cast<std::size_t>(i));
  }
  const void* own(std::int64_t i) const { return r_.layout.element(r_.own, offset(i)); }
  void* result(std::int64_t i) const { return r_.layout.element(r_.result, offset(i)); }
  // The sum so far of the segment of this step: the own contribution before the first fold.
  const void* sum(std::int64_t i) const { return summed_ ? result(i) : own(i); }

  // Up with the sum of a segment, back with the result of an earlier one.
  int pass(std::int64_t up, std::int64_t down) const {
    const int parent = neighbours_.tree.parent;
    return exchange_elements(sum(up), length(up), parent, result(down), length(down), parent,
                             r_.layout, context_);
  }

  // Gives segment `out`, the result of a child or this root's sum, and folds segment `in` of the
  // peer. The first one that comes takes the own contribution in, where operands may stand so.
  int fold_in(std::int64_t out, std::int64_t in, int peer) {
    const bool lower = peer < r_.rank;
    const bool direct = !summed_ && (r_.commutative || !lower);
    void* target = direct ? result(in) : arrived_.data();
    const void* given = out == in ? sum(out) : result(out);
    COLLTREE_TRY(
        exchange_elements(given, length(out), peer, target, length(in), peer, r_.layout, context_));
    const std::size_t n = length(in);
    if (n == 0) return MPI_SUCCESS;
    if (direct) {
      summed_ = true;
      return r_.fold(own(in), target, n);
    }
    if (!summed_) COLLTREE_TRY(copy(own(in), result(in), n, r_.layout, context_));
    summed_ = true;
    if (lower || r_.commutative) return r_.fold(target, result(in), n);
    COLLTREE_TRY(r_.fold(result(in), target, n));
    return copy(target, result(in), n, r_.layout, context_);
  }

  const Reduction& r_;
  const Context& context_;
  DualTree neighbours_;
  Segments segments_;
  bool summed_ = false;  // the result's memory holds the sum so far of this step's segment
  Scratch arrived_;
};

}  // namespace

int allreduce_dual_root(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return DualRoot(r, context).run();
}

}  // namespace colltree::algorithms
