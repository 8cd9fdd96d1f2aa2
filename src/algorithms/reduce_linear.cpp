// SPDX-License-Identifier: BSD-3-Clause
// reduce linear: each sends to the root, which folds the contributions one after the other.
#include "algorithms/reduction.h"
#include "algorithms/rows.h"
#include "algorithms/transfer.h"

namespace colltree {

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
    const bool own = source(step) == r_.root;
    if (step > 0) return r_.fold(own ? own_ : target(step), r_.result, r_.count);
    return own && !r_.in_place() ? copy(own_, r_.result, r_.count, r_.layout, context_)
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

}  // namespace colltree
