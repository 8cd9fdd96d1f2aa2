// SPDX-License-Identifier: BSD-3-Clause
// allreduce recursive_multiplying: recursive doubling with up to k ranks in each exchange, all of
// which send what they have to all others at once (Ruefenacht, Bull, Booth, Generalisation of
// recursive doubling for AllReduce, 2017; Thakur, Rabenseifner, Gropp 2005, on ranks that are too
// many). Folds are of neighbouring ranges of ranks, in the same order on all ranks.
#include "algorithms/power_group.h"
#include "algorithms/rows.h"
#include "coll/factors.h"

namespace colltree {

namespace {

// What a member has, and room for what others have: `most` messages in all, the result's memory
// among them.
class Multiplying {
 public:
  Multiplying(const Reduction& r, int most, const Context& context)
      : r_(r), context_(context), buffers_(most), now_(r.own), held_(r.in_place() ? 0 : kCallers) {}

  int open() {
    return memory_.allocate(r_.layout, static_cast<std::size_t>(buffers_ - 1) * r_.count);
  }

  // Among `factor` members that stand for neighbouring ranges of ranks; this one is number `digit`.
  template <typename RankOf>
  int exchange(int factor, int digit, RankOf rank_of) {
    Requests requests;
    for (int i = 0; i < factor; ++i) {
      if (i == digit) continue;
      COLLTREE_TRY(requests.post_receive_elements(slot(factor, digit, i), r_.count, r_.layout,
                                                  rank_of(i), context_));
    }
    for (int step = 1; step < factor; ++step) {
      COLLTREE_TRY(requests.post_send_elements(now_, r_.count, r_.layout,
                                               rank_of((digit + step) % factor), context_));
    }
    COLLTREE_TRY(requests.wait_all());
    return fold(factor, digit);
  }

  // The pair's other rank hands over what it has.
  int take(int from) {
    COLLTREE_TRY(receive_elements(slot(2, 0, 1), r_.count, r_.layout, from, context_));
    return fold(2, 0);
  }

  int close() {
    return now_ == r_.result ? MPI_SUCCESS : copy(now_, r_.result, r_.count, r_.layout, context_);
  }

 private:
  static constexpr int kCallers = -1;

  std::byte* buffer(int i) const {
    if (i == 0) return static_cast<std::byte*>(r_.result);
    return r_.layout.element(memory_.data(), static_cast<std::size_t>(i - 1) * r_.count);
  }
  // What the highest sends comes into the first free buffer, and so on. The buffer after those of
  // all others is free as well, unless one holds what this member has.
  int index(int factor, int digit, int of) const {
    const int before = factor - 1 - of - (of < digit ? 1 : 0);
    return held_ != kCallers && before >= held_ ? before + 1 : before;
  }
  std::byte* slot(int factor, int digit, int of) const { return buffer(index(factor, digit, of)); }

  // From the highest downwards, whichever of them is this member's: a sum then has the same bits
  // everywhere. MPI_Reduce_local leaves it where the higher operand was.
  int fold(int factor, int digit) {
    int highest = factor - 1;
    int target = highest == digit ? held_ : index(factor, digit, highest);
    int next = highest - 1;
    if (target == kCallers && r_.commutative) {
      target = index(factor, digit, next--);
      COLLTREE_TRY(r_.fold(now_, buffer(target), r_.count));
    } else if (target == kCallers) {
      target = factor - 1;
      COLLTREE_TRY(copy(now_, buffer(target), r_.count, r_.layout, context_));
    }
    for (; next >= 0; --next) {
      const void* lower = next == digit ? now_ : slot(factor, digit, next);
      COLLTREE_TRY(r_.fold(lower, buffer(target), r_.count));
    }
    held_ = target;
    now_ = buffer(target);
    return MPI_SUCCESS;
  }

  const Reduction& r_;
  const Context& context_;
  int buffers_;
  const void* now_;  // the caller's, and not to be changed, until the first fold
  int held_;         // the buffer that it lies in
  Scratch memory_;
};

}  // namespace

int allreduce_recursive_multiplying(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const Factors factors = Factors::of(r.size, context.radix);
  const PowerGroup group = PowerGroup::of(factors.product(), r.size, r.rank);
  const int member = group.member();
  if (member == kNoMember) {
    COLLTREE_TRY(send_elements(r.own, r.count, r.layout, group.pair(), context));
    return receive_elements(r.result, r.count, r.layout, group.pair(), context);
  }
  Multiplying schedule(r, factors.largest(), context);
  COLLTREE_TRY(schedule.open());
  if (group.pair() >= 0) COLLTREE_TRY(schedule.take(group.pair()));
  for (int step = 0, weight = 1; step < factors.steps(); weight *= factors.factor(step++)) {
    const int digit = member / weight % factors.factor(step);
    COLLTREE_TRY(schedule.exchange(factors.factor(step), digit, [&](int other) {
      return group.rank_of(member + (other - digit) * weight);
    }));
  }
  COLLTREE_TRY(schedule.close());
  if (group.pair() < 0) return MPI_SUCCESS;
  return send_elements(r.result, r.count, r.layout, group.pair(), context);
}

}  // namespace colltree
