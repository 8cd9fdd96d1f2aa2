// SPDX-License-Identifier: BSD-3-Clause
// reduce binomial, binary, pipeline, knomial and in_order_binary: one schedule along four trees.
#include "algorithms/reduce_tree.h"

#include "algorithms/rows.h"
#include "algorithms/transfer.h"

namespace colltree {

namespace {

// One rank's part: each segment is received from all children, folded and sent to the parent. The
// next message is received while this one is folded. `result` takes the whole message at the tree's
// root and is null elsewhere.
class TreeFold {
 public:
  TreeFold(const Tree& tree, const Reduction& reduction, void* result, const Context& context)
      : tree_(tree),
        r_(reduction),
        result_(result),
        context_(context),
        segments_(reduction.count, elements_per_segment(context, reduction.layout)),
        own_into_first_(reduction.commutative && reduction.own != result) {}

  int run() {
    if (tree_.child_count == 0) return tree_.parent == kNoRank ? take_own() : send_own();
    COLLTREE_TRY(buffers_.allocate(r_.layout, kBuffers * segments_.longest()));
    COLLTREE_TRY(post(0, 0));
    for (std::size_t i = 0; i < segments_.count(); ++i) {
      for (int child = 0; child < tree_.child_count; ++child) {
        const bool last = child + 1 == tree_.child_count;
        COLLTREE_TRY(last ? post(i + 1, 0) : post(i, child + 1));
        COLLTREE_TRY(incoming_[parity(i, child)].wait());
        COLLTREE_TRY(fold(i, child));
      }
      COLLTREE_TRY(send_up(accumulator(i), i));
    }
    return MPI_SUCCESS;
  }

 private:
  // Buffers of a segment: 0 and 1 in turn for messages, 2 and 3 in turn for what goes to the parent
  // (the next segment's may be under way while this one is sent).
  static constexpr std::size_t kBuffers = 4;

  std::size_t parity(std::size_t i, int child) const {
    return (i * static_cast<std::size_t>(tree_.child_count) + static_cast<std::size_t>(child)) % 2;
  }
  void* buffer(std::size_t which) const {
    return r_.layout.element(buffers_.data(), which * segments_.longest());
  }
  const void* own(std::size_t i) const { return r_.layout.element(r_.own, segments_.offset(i)); }
  void* accumulator(std::size_t i) const {
    return result_ != nullptr ? r_.layout.element(result_, segments_.offset(i)) : buffer(2 + i % 2);
  }
  // The own contribution is folded into the first message, which saves a copy, where the operation
  // lets the operands change sides.
  void* target(std::size_t i, int child) const {
    return own_into_first_ && child == 0 ? accumulator(i) : buffer(parity(i, child));
  }

  int post(std::size_t i, int child) {
    if (i >= segments_.count()) return MPI_SUCCESS;
    return incoming_[parity(i, child)].post(target(i, child), segments_.length(i), r_.layout.type,
                                            tree_.children[child], context_);
  }

  int fold(std::size_t i, int child) {
    const auto n = static_cast<std::size_t>(segments_.length(i));
    if (child == 0) {
      if (own_into_first_) return r_.fold(own(i), accumulator(i), n);
      if (own(i) != accumulator(i)) {
        COLLTREE_TRY(copy(own(i), accumulator(i), n, r_.layout, context_));
      }
    }
    return r_.fold(target(i, child), accumulator(i), n);
  }

  int send_up(const void* data, std::size_t i) {
    if (tree_.parent == kNoRank) return MPI_SUCCESS;
    return send_segment(data, segments_.length(i), r_.layout.type, tree_.parent, i, context_);
  }

  int send_own() {
    for (std::size_t i = 0; i < segments_.count(); ++i) COLLTREE_TRY(send_up(own(i), i));
    return MPI_SUCCESS;
  }

  int take_own() {
    return r_.own == result_ ? MPI_SUCCESS : copy(r_.own, result_, r_.count, r_.layout, context_);
  }

  const Tree& tree_;
  const Reduction& r_;
  void* result_;
  const Context& context_;
  Segments segments_;
  bool own_into_first_;
  Scratch buffers_;
  Receive incoming_[2];  // after the memory they write to: destroyed before it
};

}  // namespace

// The tree stands on the highest rank, which hands the whole result to the root.
int reduce_in_order(TreeShape* shape, const Reduction& r, const Context& context) {
  const int top = r.size - 1;
  const Tree tree = Placement::downwards(r.size).tree(shape, r.rank, context.radix);
  if (r.rank == top && r.root != top) {
    Scratch result;
    COLLTREE_TRY(result.allocate(r.layout, r.count));
    COLLTREE_TRY(TreeFold(tree, r, result.data(), context).run());
    return send_elements(result.data(), r.count, r.layout, r.root, context);
  }
  COLLTREE_TRY(TreeFold(tree, r, r.rank == top ? r.result : nullptr, context).run());
  if (r.rank != r.root || r.root == top) return MPI_SUCCESS;
  return receive_elements(r.result, r.count, r.layout, top, context);
}

int reduce_along(TreeShape* shape, const Reduction& r, const Context& context) {
  if (!r.commutative) return reduce_in_order(shape, r, context);
  return reduce_up(Placement::from_root(r.size, r.root).tree(shape, r.rank, context.radix), r,
                   context);
}

int reduce_up(const Tree& tree, const Reduction& r, const Context& context) {
  return TreeFold(tree, r, tree.parent == kNoRank ? r.result : nullptr, context).run();
}

namespace {

int reduce_call_along(TreeShape* shape, const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return reduce_along(shape, r, context);
}

}  // namespace

namespace rows {

int reduce_binomial(const CollectiveCall& call, const Context& context) {
  return reduce_call_along(binomial_tree, call, context);
}

int reduce_binary(const CollectiveCall& call, const Context& context) {
  return reduce_call_along(binary_tree, call, context);
}

int reduce_pipeline(const CollectiveCall& call, const Context& context) {
  return reduce_call_along(chain_tree, call, context);
}

int reduce_knomial(const CollectiveCall& call, const Context& context) {
  return reduce_call_along(knomial_tree, call, context);
}

// Along the binary tree of ranks in order, whatever the root and the operation.
int reduce_in_order_binary(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return reduce_in_order(binary_tree, r, context);
}

}  // namespace rows

}  // namespace colltree
