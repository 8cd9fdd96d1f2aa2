// SPDX-License-Identifier: BSD-3-Clause
// allreduce dual_root: the ranks are two halves, each a binary tree numbered in post-order.
// Segments go up both trees, are exchanged by the two roots, and come down while later ones go up:
// a rank sends a sum up and takes a result from above in one exchange (Traff, A doubly-pipelined,
// dual-root reduction-to-all algorithm and implementation, 2021, algorithm 1). Keeps rank order.
#include <cstdint>

#include "algorithms/reduction.h"
#include "algorithms/trees.h"

namespace colltree {

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
    for (int at = placement.position(rank - first); at != 0; ++depth)
      at = binary_tree(ranks, at, 2).parent;
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

}  // namespace colltree
