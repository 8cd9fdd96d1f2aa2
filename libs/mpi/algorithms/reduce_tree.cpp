// SPDX-License-Identifier: BSD-3-Clause
// reduce binomial, binary, pipeline, knomial and in_order_binary: one schedule along four
// trees.
// linear: each sends to the root, which folds the contributions one after the other.
#include "algorithms/reduce_tree.h"

#include "algorithms/transfer.h"

namespace colltree::algorithms {

int TreeFold::run() {
  if (tree_.child_count == 0 && tree_.parent == kNoRank) return take_own();
  COLLTREE_TRY(open());
  for (std::size_t i = 0; i < steps(); ++i) COLLTREE_TRY(step(i));
  return close();
}

int TreeFold::open() {
  if (overlap()) COLLTREE_TRY(sends_.allocate(in_flight_));
  if (tree_.child_count == 0) return MPI_SUCCESS;
  COLLTREE_TRY(buffers_.allocate(r_.layout, (2 + accumulators()) * segments_.longest()));
  return post(0, 0);
}

int TreeFold::step(std::size_t i) {
  if (tree_.child_count == 0) return send_up(own(i), i);
  for (int child = 0; child < tree_.child_count; ++child) {
    const bool last = child + 1 == tree_.child_count;
    COLLTREE_TRY(last ? post(i + 1, 0) : post(i, child + 1));
    COLLTREE_TRY(incoming_[parity(i, child)].wait());
    COLLTREE_TRY(fold(i, child));
  }
  return send_up(accumulator(i), i);
}

std::size_t TreeFold::parity(std::size_t i, int child) const {
  return (i * static_cast<std::size_t>(tree_.child_count) + static_cast<std::size_t>(child)) % 2;
}

void* TreeFold::buffer(std::size_t which) const {
  return r_.layout.element(buffers_.data(), which * segments_.longest());
}

const void* TreeFold::own(std::size_t i) const {
  return r_.layout.element(r_.own, segments_.offset(i));
}

void* TreeFold::accumulator(std::size_t i) const {
  return result_ != nullptr ? r_.layout.element(result_, segments_.offset(i))
                            : buffer(2 + i % accumulators());
}

// The own contribution is folded into the first message, which saves a copy, where the operation
// lets the operands change sides.
void* TreeFold::target(std::size_t i, int child) const {
  return own_into_first_ && child == 0 ? accumulator(i) : buffer(parity(i, child));
}

int TreeFold::post(std::size_t i, int child) {
  if (i >= segments_.count()) return MPI_SUCCESS;
  return incoming_[parity(i, child)].post(target(i, child), segments_.length(i), r_.layout.type,
                                          tree_.children[child], context_);
}

int TreeFold::fold(std::size_t i, int child) {
  const auto n = static_cast<std::size_t>(segments_.length(i));
  if (child == 0) {
    if (own_into_first_) return r_.fold(own(i), accumulator(i), n);
    if (own(i) != accumulator(i)) {
      COLLTREE_TRY(copy(own(i), accumulator(i), n, r_.layout, context_));
    }
  }
  return r_.fold(target(i, child), accumulator(i), n);
}

int TreeFold::send_up(const void* data, std::size_t i) {
  if (tree_.parent == kNoRank) return MPI_SUCCESS;
  if (overlap()) {
    return sends_.post_segment(data, segments_.length(i), r_.layout.type, tree_.parent, i,
                               context_);
  }
  return send_segment(data, segments_.length(i), r_.layout.type, tree_.parent, i, context_);
}

int TreeFold::take_own() {
  return r_.own == result_ ? MPI_SUCCESS : copy(r_.own, result_, r_.count, r_.layout, context_);
}

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

namespace {

// The root's side: step 0 puts a first contribution into the result, each further step folds one
// more into it from below. The next message is received while this one is folded.
class LinearFold {
 public:
  LinearFold(const Reduction& reduction, const Context& context)
      : r_(reduction), context_(context), own_(reduction.own) {}

  int run() {
    COLLTREE_TRY(inbound_.allocate(r_.layout, 2 * r_.count));
    COLLTREE_TRY(save_own());
    COLLTREE_TRY(post(0));
    for (int step = 0; step < r_.size; ++step) {
      COLLTREE_TRY(post(step + 1));
      COLLTREE_TRY(incoming_[step % 2].wait());
      COLLTREE_TRY(apply(step));
    }
    return MPI_SUCCESS;
  }

 private:
  // In rank order from the highest down; free to choose, own second, where its copy is saved: it is
  // folded into the first message. In place it is in the result already.
  int source(int step) const {
    if (!r_.commutative) return r_.size - 1 - step;
    if (!r_.in_place() && r_.size > 1 && step < 2) step = 1 - step;
    return (r_.root + r_.size - step) % r_.size;
  }

  void* target(int step) const {
    return step == 0 ? r_.result : r_.layout.element(inbound_.data(), step % 2 == 0 ? 0 : r_.count);
  }

  // The first message would overwrite a contribution that waits in the result for its turn.
  int save_own() {
    if (!r_.in_place() || source(0) == r_.root) return MPI_SUCCESS;
    COLLTREE_TRY(saved_.allocate(r_.layout, r_.count));
    own_ = saved_.data();
    return copy(r_.own, saved_.data(), r_.count, r_.layout, context_);
  }

  int post(int step) {
    if (step >= r_.size || source(step) == r_.root) return MPI_SUCCESS;
    return incoming_[step % 2].post(target(step), static_cast<int>(r_.count), r_.layout.type,
                                    source(step), context_);
  }

  int apply(int step) {
    const bool from_root = source(step) == r_.root;
    if (step > 0) return r_.fold(from_root ? own_ : target(step), r_.result, r_.count);
    return from_root && !r_.in_place() ? copy(own_, r_.result, r_.count, r_.layout, context_)
                                       : MPI_SUCCESS;
  }

  const Reduction& r_;
  const Context& context_;
  const void* own_;
  Scratch saved_;
  Scratch inbound_;
  Receive incoming_[2];  // after the memory they write to: destroyed before it
};

}  // namespace

int reduce_linear(const CollectiveCall& call, const Context& context) {
  Reduction reduction;
  COLLTREE_TRY(reduction.open(call, context));
  if (reduction.rank != call.root)
    return send(reduction.own, call.receive_count, call.receive_type, call.root, context);
  return LinearFold(reduction, context).run();
}

}  // namespace colltree::algorithms
