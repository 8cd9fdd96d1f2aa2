// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter and reduce_scatter_block: each algorithm serves both, whose blocks differ only in
// where they begin. Thakur, Rabenseifner, Gropp, Optimization of collective communication
// operations in MPICH (2005), on reduce-scatter: recursive halving, pairwise exchange. Butterfly:
// Traff, An improved algorithm for (non-commutative) reduce-scatter with an application (2005).
#include "algorithms/power_group.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/reduction.h"
#include "algorithms/ring.h"

namespace colltree::algorithms {

namespace {

// The common part of the halvings: the blocks of a group's members are halved until each member has
// one member's blocks.
class Halving {
 public:
  Halving(const Scattering& scattering, const Context& context)
      : s_(scattering),
        r_(scattering.r),
        context_(context),
        group_(r_.size, r_.rank),
        partial_(r_, context),
        first_(0),
        end_(group_.members()) {}

  int open() {
    COLLTREE_TRY(partial_.open(nullptr));
    return group_.gather_pairs(partial_, r_.count);
  }

  int halve(int distance) {
    const int middle = first_ + (end_ - first_) / 2;
    const bool upper = (group_.member() & distance) != 0;
    const Range low = range(first_, middle);
    const Range high = range(middle, end_);
    (upper ? first_ : end_) = middle;
    return partial_.exchange(group_.rank_of(group_.member() ^ distance), upper ? low : high,
                             upper ? high : low);
  }

  // A member has the blocks of `partner`, who has this one's: each rank receives its block from
  // the member that has it.
  int deliver(int partner) {
    const int source = group_.rank_of(partner);
    Requests incoming;
    if (source != r_.rank) {
      const Range block = s_.blocks.range(r_.rank);
      COLLTREE_TRY(
          incoming.post_receive_elements(r_.result, block.count, r_.layout, source, context_));
    }
    if (group_.member() != kNoMember) {
      for (int to = group_.first_rank(partner); to < group_.first_rank(partner + 1); ++to)
        COLLTREE_TRY(hand(to));
    }
    return incoming.wait_all();
  }

  const PowerGroup& group() const { return group_; }

 private:
  Range range(int first, int end) const {
    return s_.blocks.range(group_.first_rank(first), group_.first_rank(end));
  }

  int hand(int to) {
    const Range block = s_.blocks.range(to);
    if (to != r_.rank) return partial_.give(to, block);
    return copy(partial_.element(block.first), r_.result, block.count, r_.layout, context_);
  }

  const Scattering& s_;
  const Reduction& r_;
  const Context& context_;
  PowerGroup group_;
  Partial partial_;
  int first_;  // the blocks of members first_ .. end_ - 1 are still this one's
  int end_;
};

int mirrored(int member, int members) {
  int image = 0;
  for (int bit = 1; bit < members; bit *= 2) image = 2 * image + ((member & bit) != 0 ? 1 : 0);
  return image;
}

// Step i: sends rank+i its block and folds what rank-i contributes. The next message is received
// while this one is folded.
class Pairwise {
 public:
  Pairwise(const Scattering& scattering, const Context& context)
      : s_(scattering),
        r_(scattering.r),
        context_(context),
        count_(scattering.blocks.count(scattering.r.rank)) {}

  int run() {
    COLLTREE_TRY(buffers_.allocate(r_.layout, 3 * count_));
    COLLTREE_TRY(sends_.allocate(1));
    COLLTREE_TRY(post(1));
    for (int step = 1; step < r_.size; ++step) {
      const int to = (r_.rank + step) % r_.size;
      const Range block = s_.blocks.range(to);
      if (block.count > 0) {
        COLLTREE_TRY(sends_.post_send(s_.own(to), static_cast<int>(block.count), r_.layout.type, to,
                                      context_));
      }
      if (count_ == 0) continue;
      COLLTREE_TRY(post(step + 1));
      COLLTREE_TRY(incoming_[step % 2].wait());
      // The first message takes the own contribution in, the others go into it.
      const void* added = step == 1 ? s_.own(r_.rank) : target(step);
      COLLTREE_TRY(r_.fold(added, target(1), count_));
    }
    COLLTREE_TRY(sends_.wait_all());
    return in_result() ? MPI_SUCCESS : copy(target(1), r_.result, count_, r_.layout, context_);
  }

 private:
  // In place the result's memory holds contributions that are still to be sent.
  bool in_result() const { return !r_.in_place(); }
  void* target(int step) const {
    if (step == 1 && in_result()) return r_.result;
    const int buffer = step == 1 ? 2 : step % 2;
    return r_.layout.element(buffers_.data(), static_cast<std::size_t>(buffer) * count_);
  }
  int post(int step) {
    if (step == r_.size || count_ == 0) return MPI_SUCCESS;
    const int from = (r_.rank + r_.size - step) % r_.size;
    return incoming_[step % 2].post(target(step), static_cast<int>(count_), r_.layout.type, from,
                                    context_);
  }

  const Scattering& s_;
  const Reduction& r_;
  const Context& context_;
  std::size_t count_;
  Scratch buffers_;
  Receive incoming_[2];
  Window sends_;
};

// Near ranks first, what is folded are ranges of ranks; a member then ends with the blocks of its
// mirror image.
int reduce_scatter_by_halving(bool near_first, const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  Halving halving(s, context);
  COLLTREE_TRY(halving.open());
  const PowerGroup& group = halving.group();
  for (int step = 1; step < group.members() && group.member() != kNoMember; step *= 2)
    COLLTREE_TRY(halving.halve(near_first ? step : group.members() / (2 * step)));
  const int mine = group.member_of(s.r.rank);
  return halving.deliver(near_first ? mirrored(mine, group.members()) : mine);
}

}  // namespace

int reduce_scatter_recursive_halving(const CollectiveCall& call, const Context& context) {
  return reduce_scatter_by_halving(false, call, context);
}

int reduce_scatter_butterfly(const CollectiveCall& call, const Context& context) {
  return reduce_scatter_by_halving(true, call, context);
}

int reduce_scatter_pairwise(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  return Pairwise(s, context).run();
}

int reduce_scatter_ring(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  return RingReduction(s.r, s.blocks, context).reduce_to(s.r.result);
}

// To one rank, which then sends each its block. In rank order where the operation asks for it.
int reduce_scatter_reduce_scatterv(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  Reduction& r = s.r;
  r.root = r.commutative ? 0 : r.size - 1;
  void* result = r.result;
  const std::size_t count = s.blocks.count(r.rank);
  if (r.rank != r.root) {
    COLLTREE_TRY(reduce_along(knomial_tree, r, context));
    return receive_elements(result, count, r.layout, r.root, context);
  }
  Scratch whole;
  COLLTREE_TRY(whole.allocate(r.layout, r.count));
  r.result = whole.data();
  COLLTREE_TRY(reduce_along(knomial_tree, r, context));
  Requests sends;
  for (int step = 1; step < r.size; ++step) {
    const int to = (r.root + step) % r.size;
    const Range block = s.blocks.range(to);
    if (block.count == 0) continue;
    COLLTREE_TRY(sends.post_send(r.layout.element(r.result, block.first),
                                 static_cast<int>(block.count), r.layout.type, to, context));
  }
  COLLTREE_TRY(
      copy(r.layout.element(r.result, s.blocks.begin(r.rank)), result, count, r.layout, context));
  return sends.wait_all();
}

}  // namespace colltree::algorithms
