// SPDX-License-Identifier: BSD-3-Clause
// reduce and allreduce rabenseifner and butterfly: the message is reduced and scattered by halving
// steps, then gathered (to the root or to every rank) the same way back (Rabenseifner, Optimization
// of collective reduction operations, 2004; Thakur, Rabenseifner, Gropp 2005, on reduce and
// allreduce). rabenseifner begins with far ranks. butterfly begins with near ones, as the
// reduce_scatter of that name (Traff, An improved algorithm for (non-commutative) reduce-scatter
// with an application, 2005): large halves stay where ranks are near, the order of ranks is kept,
// and every element is added up along recursive doubling's tree whatever the message's length.
#include <array>

#include "algorithms/power_group.h"

namespace colltree::algorithms {

namespace {

class HalvingReduction {
 public:
  HalvingReduction(const Reduction& r, bool near_first, int kept, const Context& context)
      : r_(r),
        context_(context),
        near_first_(near_first),
        group_(r.size, r.rank, kept),
        partial_(r, context),
        length_(group_.members()) {}

  // Every member ends with one part.
  int scatter() {
    place_ = r_.result;
    if (place_ == nullptr) {
      COLLTREE_TRY(memory_.allocate(r_.layout, r_.count));
      place_ = memory_.data();
    }
    COLLTREE_TRY(partial_.open(place_));
    COLLTREE_TRY(parts_.set_parts(group_.members(), r_.count));
    COLLTREE_TRY(group_.gather_pairs(partial_, r_.count));
    if (group_.member() == kNoMember) return MPI_SUCCESS;
    while (length_ > 1) {
      begins_[steps_] = first_;
      length_ /= 2;
      const int distance = distance_of(steps_++);
      const Range low = parts_.range(first_, first_ + length_);
      const Range high = parts_.range(first_ + length_, first_ + 2 * length_);
      const bool upper = (group_.member() & distance) != 0;
      if (upper) first_ += length_;
      COLLTREE_TRY(partial_.exchange(peer_at(distance), upper ? low : high, upper ? high : low));
    }
    return partial_.settle(mine());
  }

  int gather_to_all() {
    if (group_.member() == kNoMember)
      return receive_elements(place_, r_.count, r_.layout, group_.pair(), context_);
    while (steps_ > 0) {
      const int peer = peer_at(distance_of(--steps_));
      const Range given = mine();
      const Range taken = theirs();
      COLLTREE_TRY(exchange_elements(at(given), given.count, peer, at(taken), taken.count, peer,
                                     r_.layout, context_));
      join();
    }
    if (group_.pair() < 0) return MPI_SUCCESS;
    return send_elements(place_, r_.count, r_.layout, group_.pair(), context_);
  }

  // Up a binomial tree over the members, as seen from the root.
  int gather_to_root() {
    if (group_.member() == kNoMember) return MPI_SUCCESS;
    const int away = group_.member() ^ group_.member_of(r_.root);
    while (steps_ > 0) {
      const int distance = distance_of(--steps_);
      if ((away & distance) != 0)
        return send_elements(at(mine()), mine().count, r_.layout, peer_at(distance), context_);
      const Range taken = theirs();
      COLLTREE_TRY(
          receive_elements(at(taken), taken.count, r_.layout, peer_at(distance), context_));
      join();
    }
    return MPI_SUCCESS;
  }

 private:
  int distance_of(int step) const {
    return near_first_ ? 1 << step : group_.members() >> (step + 1);
  }
  int peer_at(int distance) const { return group_.rank_of(group_.member() ^ distance); }
  void* at(Range range) const { return r_.layout.element(place_, range.first); }
  Range mine() const { return parts_.range(first_, first_ + length_); }
  // The range that the peer holds in the step that is being reversed.
  Range theirs() const {
    const int begin = begins_[steps_];
    const int first = first_ == begin ? begin + length_ : begin;
    return parts_.range(first, first + length_);
  }
  void join() {
    first_ = begins_[steps_];
    length_ *= 2;
  }

  const Reduction& r_;
  const Context& context_;
  bool near_first_;
  PowerGroup group_;
  Offsets parts_;  // of the message, by member
  Partial partial_;
  Scratch memory_;
  void* place_ = nullptr;  // takes the result: all of it in allreduce and at a reduce's root
  int first_ = 0;          // this member's parts: first_ .. first_ + length_ - 1
  int length_;
  int steps_ = 0;               // done and not gone back
  std::array<int, 32> begins_;  // first_ before each of them
};

int allreduce_by_halving(bool near_first, const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  HalvingReduction schedule(r, near_first, -1, context);
  COLLTREE_TRY(schedule.scatter());
  return schedule.gather_to_all();
}

int reduce_by_halving(bool near_first, const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  HalvingReduction schedule(r, near_first, r.root, context);
  COLLTREE_TRY(schedule.scatter());
  return schedule.gather_to_root();
}

}  // namespace

int allreduce_rabenseifner(const CollectiveCall& call, const Context& context) {
  return allreduce_by_halving(false, call, context);
}

int allreduce_butterfly(const CollectiveCall& call, const Context& context) {
  return allreduce_by_halving(true, call, context);
}

int reduce_rabenseifner(const CollectiveCall& call, const Context& context) {
  return reduce_by_halving(false, call, context);
}

int reduce_butterfly(const CollectiveCall& call, const Context& context) {
  return reduce_by_halving(true, call, context);
}

}  // namespace colltree::algorithms
