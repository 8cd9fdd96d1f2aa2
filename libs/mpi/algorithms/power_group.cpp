// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/power_group.h"

namespace colltree::algorithms {

int Partial::open(void* place) {
  now_ = r_.own;
  place_ = place;
  if (place_ != nullptr) return MPI_SUCCESS;
  COLLTREE_TRY(place_memory_.allocate(r_.layout, r_.count));
  place_ = place_memory_.data();
  return MPI_SUCCESS;
}

// Memory that is neither the place nor the caller's. Pages that no range touches cost nothing.
int Partial::spare(void** buffer) {
  if (spare_memory_.data() == nullptr) COLLTREE_TRY(spare_memory_.allocate(r_.layout, r_.count));
  *buffer = spare_memory_.data();
  return MPI_SUCCESS;
}

int Partial::exchange(int peer, Range given, Range kept) {
  const bool lower = peer < r_.rank;
  const bool callers = now_ == r_.own && now_ != place_;
  void* received = place_;
  // The place takes what comes in unless it holds what is there, or must hold the fold of both.
  if (now_ == place_ || (callers && lower && !r_.commutative)) COLLTREE_TRY(spare(&received));
  COLLTREE_TRY(exchange_elements(element(given.first), given.count, peer,
                                 r_.layout.element(received, kept.first), kept.count, peer,
                                 r_.layout, context_));
  return fold(peer, kept, received);
}

// MPI_Reduce_local leaves the fold in its higher operand, so the result is where that one was.
int Partial::fold(int peer, Range kept, void* received) {
  const bool lower = peer < r_.rank;
  const bool callers = now_ == r_.own && now_ != place_;
  const void* theirs = r_.layout.element(received, kept.first);
  if (callers && lower && !r_.commutative) {
    COLLTREE_TRY(copy(element(kept.first), r_.layout.element(place_, kept.first), kept.count,
                      r_.layout, context_));
    now_ = place_;
    return r_.fold(theirs, r_.layout.element(place_, kept.first), kept.count);
  }
  if (!callers && (lower || r_.commutative)) {
    return r_.fold(theirs, r_.layout.element(const_cast<void*>(now_), kept.first), kept.count);
  }
  const void* mine = element(kept.first);
  now_ = received;
  return r_.fold(mine, r_.layout.element(received, kept.first), kept.count);
}

int Partial::give(int peer, Range given) const {
  return send_elements(element(given.first), given.count, r_.layout, peer, context_);
}

int Partial::settle(Range range) {
  if (now_ == place_ || range.count == 0) return MPI_SUCCESS;
  COLLTREE_TRY(copy(element(range.first), r_.layout.element(place_, range.first), range.count,
                    r_.layout, context_));
  now_ = place_;
  return MPI_SUCCESS;
}

}  // namespace colltree::algorithms
