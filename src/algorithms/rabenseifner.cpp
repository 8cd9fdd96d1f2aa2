// SPDX-License-Identifier: BSD-3-Clause
// reduce and allreduce rabenseifner: the message is reduced and scattered by recursive halving,
// then gathered (to the root or to all) by recursive doubling (Rabenseifner, Optimization of
// collective reduction operations, 2004; Thakur, Rabenseifner, Gropp 2005, on reduce and
// allreduce).
#include "algorithms/power_group.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

class Rabenseifner {
 public:
  // `place` takes the result: all of it in allreduce and at a reduce's root, else some part.
  Rabenseifner(const Reduction& r, int kept, const Context& context)
      : r_(r),
        context_(context),
        group_(r.size, r.rank, kept),
        parts_(r.count, group_.members()),
        partial_(r, context),
        first_(0),
        end_(group_.members()) {}

  int open() {
    place_ = r_.result;
    if (place_ == nullptr) {
      COLLTREE_TRY(memory_.allocate(r_.layout, r_.count));
      place_ = memory_.data();
    }
    return partial_.open(place_);
  }

  const PowerGroup& group() const { return group_; }

  // Every member ends with one part.
  int scatter() {
    COLLTREE_TRY(group_.gather_pairs(partial_, r_.count));
    const int member = group_.member();
    if (member == kNoMember) return MPI_SUCCESS;
    for (int distance = group_.members() / 2; distance > 0; distance /= 2) {
      const int middle = first_ + distance;
      const Range low = parts_.range(first_, middle);
      const Range high = parts_.range(middle, end_);
      const bool upper = (member & distance) != 0;
      (upper ? first_ : end_) = middle;
      COLLTREE_TRY(partial_.exchange(group_.rank_of(member ^ distance), upper ? low : high,
                                     upper ? high : low));
    }
    return partial_.settle(parts_.range(first_, end_));
  }

  int gather_to_all() {
    const int member = group_.member();
    if (member == kNoMember)
      return receive_elements(place_, r_.count, r_.layout, group_.pair(), context_);
    for (int distance = 1; distance < group_.members(); distance *= 2) {
      const Range mine = parts_.range(first_, end_);
      const Range theirs = parts_.range(first_ ^ distance, (first_ ^ distance) + distance);
      COLLTREE_TRY(exchange_elements(at(mine), mine.count, group_.rank_of(member ^ distance),
                                     at(theirs), theirs.count, group_.rank_of(member ^ distance),
                                     r_.layout, context_));
      first_ &= ~distance;
      end_ = first_ + 2 * distance;
    }
    if (group_.pair() < 0) return MPI_SUCCESS;
    return send_elements(place_, r_.count, r_.layout, group_.pair(), context_);
  }

  // Up a binomial tree over the members, as seen from the root.
  int gather_to_root() {
    const int member = group_.member();
    if (member == kNoMember) return MPI_SUCCESS;
    const int root = group_.member_of(r_.root);
    for (int distance = 1; distance < group_.members(); distance *= 2) {
      const int peer = group_.rank_of(member ^ distance);
      if (((member ^ root) & distance) != 0) {
        const Range mine = parts_.range(first_, end_);
        return send_elements(at(mine), mine.count, r_.layout, peer, context_);
      }
      const Range theirs = parts_.range(first_ ^ distance, (first_ ^ distance) + distance);
      COLLTREE_TRY(receive_elements(at(theirs), theirs.count, r_.layout, peer, context_));
      first_ &= ~distance;
      end_ = first_ + 2 * distance;
    }
    return MPI_SUCCESS;
  }

 private:
  void* at(Range range) const { return r_.layout.element(place_, range.first); }

  const Reduction& r_;
  const Context& context_;
  PowerGroup group_;
  EqualParts parts_;
  Partial partial_;
  Scratch memory_;
  void* place_ = nullptr;
  int first_;  // this member's parts: first_ .. end_ - 1
  int end_;
};

}  // namespace

namespace rows {

int allreduce_rabenseifner(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  Rabenseifner schedule(r, -1, context);
  COLLTREE_TRY(schedule.open());
  COLLTREE_TRY(schedule.scatter());
  return schedule.gather_to_all();
}

int reduce_rabenseifner(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  Rabenseifner schedule(r, r.root, context);
  COLLTREE_TRY(schedule.open());
  COLLTREE_TRY(schedule.scatter());
  return schedule.gather_to_root();
}

}  // namespace rows

}  // namespace colltree
