// SPDX-License-Identifier: BSD-3-Clause
// allreduce recursive_multiplying: recursive doubling with up to k ranks in each exchange, all of
// which send what they have to all others at once (Ruefenacht, Bull, Booth, Generalisation of
// recursive doubling for AllReduce, 2017; Thakur, Rabenseifner, Gropp 2005, on ranks that are too
// many). Folds are of neighbouring ranges of ranks, in the same order on all ranks.
// allgather(v) and reduce_scatter(_block) likewise: recursive doubling, and halving,
// with up to k ranks in each exchange (Wilkins, Guo, Thakur, Dinda, Hardavellas, Generalized
// collective algorithms for the exascale era, 2023, on recursive multiplying; factors.h). Members
// stand for ranges of ranks, so what is exchanged lies in one piece.
#include "algorithms/gathering.h"
#include "algorithms/power_group.h"
#include "algorithms/reduction.h"
#include "coll/factors.h"

namespace colltree::algorithms {

namespace {

// Who takes part in which exchange.
class Exchanges {
 public:
  Exchanges(int size, int rank, int radix)
      : factors_(size, radix), group_(PowerGroup::with_members(factors_.product(), size, rank)) {}

  const PowerGroup& group() const { return group_; }
  int steps() const { return factors_.steps(); }
  int largest() const { return factors_.largest(); }

  // An exchange among `factor` members that stand `weight` apart; this one is number `digit`.
  struct Step {
    int factor;
    int weight;
    int digit;
  };
  Step step(int number) const {
    int weight = 1;
    for (int i = 0; i < number; ++i) weight *= factors_.factor(i);
    return {factors_.factor(number), weight, group_.member() / weight % factors_.factor(number)};
  }
  int rank_of(const Step& step, int digit) const {
    return group_.rank_of(group_.member() + (digit - step.digit) * step.weight);
  }
  // The blocks, in `blocks` of all ranks, of those that number `digit` of the exchange speaks for.
  Range range(const Step& step, int digit, const Offsets& blocks) const {
    const int member = group_.member();
    const int first = member - member % (step.weight * step.factor) + digit * step.weight;
    return blocks.range(group_.first_rank(first), group_.first_rank(first + step.weight));
  }

 private:
  Factors factors_;
  PowerGroup group_;
};

// A member's partial result, and room for those of others: `most` messages with the result's memory
// counted.
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
  // The message of the highest sender comes into the first free buffer, and so on. The buffer after
  // those of all others is free as well, unless one holds what this member has.
  int index(int factor, int digit, int sender) const {
    const int before = factor - 1 - sender - (sender < digit ? 1 : 0);
    return held_ != kCallers && before >= held_ ? before + 1 : before;
  }
  std::byte* slot(int factor, int digit, int sender) const {
    return buffer(index(factor, digit, sender));
  }

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
  const Exchanges exchanges(r.size, r.rank, context.radix);
  const PowerGroup& group = exchanges.group();
  if (group.member() == kNoMember) {
    COLLTREE_TRY(send_elements(r.own, r.count, r.layout, group.pair(), context));
    return receive_elements(r.result, r.count, r.layout, group.pair(), context);
  }
  Multiplying schedule(r, exchanges.largest(), context);
  COLLTREE_TRY(schedule.open());
  if (group.pair() >= 0) COLLTREE_TRY(schedule.take(group.pair()));
  for (int number = 0; number < exchanges.steps(); ++number) {
    const Exchanges::Step step = exchanges.step(number);
    COLLTREE_TRY(schedule.exchange(step.factor, step.digit,
                                   [&](int digit) { return exchanges.rank_of(step, digit); }));
  }
  COLLTREE_TRY(schedule.close());
  if (group.pair() < 0) return MPI_SUCCESS;
  return send_elements(r.result, r.count, r.layout, group.pair(), context);
}

namespace {

// Far members first: in each exchange a member gives every other one the part of what is left that
// is the other's, and folds what it gets of its own.
class MultiplyingScatter {
 public:
  MultiplyingScatter(const Reduction& r, const Offsets& blocks, const Context& context)
      : r_(r),
        blocks_(blocks),
        context_(context),
        exchanges_(r.size, r.rank, context.radix),
        now_(r.own) {}

  int run() {
    const int pair = exchanges_.group().pair();
    const Range block = blocks_.range(r_.rank);
    if (exchanges_.group().member() == kNoMember) {
      COLLTREE_TRY(send_elements(r_.own, r_.count, r_.layout, pair, context_));
      return receive_elements(r_.result, block.count, r_.layout, pair, context_);
    }
    COLLTREE_TRY(allocate(pair >= 0));
    if (pair >= 0) {
      COLLTREE_TRY(receive_elements(at(0), r_.count, r_.layout, pair, context_));
      COLLTREE_TRY(fold_in(r_.own, {0, r_.count}));
    }
    for (int number = exchanges_.steps() - 1; number >= 0; --number)
      COLLTREE_TRY(exchange(exchanges_.step(number)));
    if (pair >= 0) {
      const Range theirs = blocks_.range(pair);
      COLLTREE_TRY(send_elements(at(theirs.first), theirs.count, r_.layout, pair, context_));
    }
    return copy(at(block.first), r_.result, block.count, r_.layout, context_);
  }

 private:
  // Room for what is left after the first exchange, or for all that the pair's other rank hands
  // over; and for what comes in: later exchanges have less.
  int allocate(bool has_pair) {
    const Exchanges::Step first = exchanges_.step(exchanges_.steps() - 1);
    const Range left = exchanges_.range(first, first.digit, blocks_);
    begin_ = has_pair ? 0 : left.first;
    COLLTREE_TRY(folds_.allocate(r_.layout, has_pair ? r_.count : left.count));
    return arrived_.allocate(r_.layout,
                             static_cast<std::size_t>(exchanges_.largest() - 1) * left.count);
  }
  std::byte* at(std::size_t element) const {
    return r_.layout.element(folds_.data(), element - begin_);
  }
  int fold_in(const void* contribution, Range range) {
    now_ = nullptr;
    return r_.fold(r_.layout.element(contribution, range.first), at(range.first), range.count);
  }
  const std::byte* element(std::size_t i) const {
    return now_ == nullptr ? at(i) : r_.layout.element(now_, i);
  }

  int exchange(const Exchanges::Step& step) {
    const Range kept = exchanges_.range(step, step.digit, blocks_);
    const bool is_first = now_ != nullptr;
    Requests requests;
    int others = 0;
    for (int i = 0; i < step.factor; ++i) {
      if (i == step.digit) continue;
      COLLTREE_TRY(requests.post_receive_elements(place(others++, is_first, kept), kept.count,
                                                  r_.layout, exchanges_.rank_of(step, i),
                                                  context_));
    }
    for (int i = 1; i < step.factor; ++i) {
      const int digit = (step.digit + i) % step.factor;
      const Range given = exchanges_.range(step, digit, blocks_);
      COLLTREE_TRY(requests.post_send_elements(element(given.first), given.count, r_.layout,
                                               exchanges_.rank_of(step, digit), context_));
    }
    COLLTREE_TRY(requests.wait_all());
    if (is_first) COLLTREE_TRY(fold_in(now_, kept));
    for (int i = is_first ? 1 : 0; i < others; ++i)
      COLLTREE_TRY(r_.fold(place(i, is_first, kept), at(kept.first), kept.count));
    return MPI_SUCCESS;
  }
  // The memory for what the i-th of the others sends: the very first is to take the own
  // contribution in.
  std::byte* place(int i, bool is_first, Range kept) const {
    if (is_first && i == 0) return at(kept.first);
    const auto before = static_cast<std::size_t>(i - (is_first ? 1 : 0));
    return r_.layout.element(arrived_.data(), before * kept.count);
  }

  const Reduction& r_;
  const Offsets& blocks_;
  const Context& context_;
  Exchanges exchanges_;
  const void* now_;        // the caller's, and not to be changed; null: `folds_`
  std::size_t begin_ = 0;  // the element that `folds_` begins with
  Scratch folds_;
  Scratch arrived_;
};

}  // namespace

int allgather_recursive_multiplying(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const BlockSpace& space = g.space;
  const Exchanges exchanges(g.size, g.rank, context.radix);
  const int pair = exchanges.group().pair();
  if (exchanges.group().member() == kNoMember) {
    COLLTREE_TRY(send_bytes(space.at(g.rank), space.bytes(g.rank), pair, context));
    COLLTREE_TRY(receive_bytes(space.at(0), space.offsets().total(), pair, context));
    return g.close(context);
  }
  if (pair >= 0) COLLTREE_TRY(receive_bytes(space.at(pair), space.bytes(pair), pair, context));
  for (int number = 0; number < exchanges.steps(); ++number) {
    const Exchanges::Step step = exchanges.step(number);
    const Range held = exchanges.range(step, step.digit, space.offsets());
    Requests requests;
    for (int i = 0; i < step.factor; ++i) {
      if (i == step.digit) continue;
      const Range range = exchanges.range(step, i, space.offsets());
      COLLTREE_TRY(requests.post_receive_bytes(space.at(0) + range.first, range.count,
                                               exchanges.rank_of(step, i), context));
    }
    for (int i = 1; i < step.factor; ++i) {
      COLLTREE_TRY(requests.post_send_bytes(space.at(0) + held.first, held.count,
                                            exchanges.rank_of(step, (step.digit + i) % step.factor),
                                            context));
    }
    COLLTREE_TRY(requests.wait_all());
  }
  if (pair >= 0) COLLTREE_TRY(send_bytes(space.at(0), space.offsets().total(), pair, context));
  return g.close(context);
}

int reduce_scatter_recursive_multiplying(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  return MultiplyingScatter(s.r, s.blocks, context).run();
}

}  // namespace colltree::algorithms
