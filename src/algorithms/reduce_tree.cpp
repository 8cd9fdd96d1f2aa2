// SPDX-License-Identifier: BSD-3-Clause
// reduce binomial, binary, pipeline, knomial and in_order_binary: one schedule along four
// trees.
#include "algorithms/reduce_tree.h"

#include "algorithms/rows.h"
#include "algorithms/tree_fold.h"

namespace colltree {

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

}  // namespace colltree
