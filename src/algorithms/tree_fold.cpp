// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/tree_fold.h"

namespace colltree {

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

}  // namespace colltree
