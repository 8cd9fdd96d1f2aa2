// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter, reduce_scatter_block, allgather and allreduce bine: in each step a rank gives its
// partner the half of the blocks that is the partner's (bine.h names the paper), which is a range
// of ranks around the end; allgather goes the same way back.
#include "algorithms/bine.h"
#include "algorithms/gathering.h"
#include "algorithms/power_group.h"
#include "algorithms/rows.h"
#include "algorithms/scattering.h"

namespace colltree {

namespace {

// The one or two ranges that the blocks of an arc are in the message.
struct ArcPieces {
  Range range[2];

  ArcPieces(const Offsets& blocks, Arc arc) {
    const int end = std::min(arc.first + arc.count, blocks.blocks());
    range[0] = blocks.range(arc.first, end);
    range[1] = blocks.range(0, arc.first + arc.count - end);
  }
};

// The members' exchanges; where the ranks are no power of two the others hand over to a member what
// they have before, and are given the result.
class BineButterfly {
 public:
  BineButterfly(int size, int rank, const TypeLayout& layout, const Context& context)
      : group_(size, rank), layout_(layout), context_(context), bine_(group_.members()) {}

  // `ranks`: the blocks of all ranks.
  int open(const Offsets& ranks) {
    return blocks_.set_lengths(group_.members(), [&](int member) {
      return ranks.range(group_.first_rank(member), group_.first_rank(member + 1)).count;
    });
  }

  bool takes_part() const { return group_.member() != kNoMember; }
  int pair() const { return group_.pair(); }

  // The blocks that the member stands for become the fold of all, in `folds`, memory of the whole
  // message. The other blocks of it hold no matter what.
  int reduce(const Reduction& r, void* folds) const {
    if (!takes_part()) return send_elements(r.own, r.count, layout_, pair(), context_);
    Scratch arrived;
    COLLTREE_TRY(arrived.allocate(layout_, r.count));
    const void* now = r.own;
    if (pair() >= 0) {
      void* target = now == folds ? static_cast<void*>(arrived.data()) : folds;
      COLLTREE_TRY(receive_elements(target, r.count, layout_, pair(), context_));
      COLLTREE_TRY(r.fold(now == folds ? target : now, folds, r.count));
      now = folds;
    }
    const int member = group_.member();
    for (int step = 0; step < bine_.steps(); ++step) {
      const int partner = bine_.partner(member, step);
      const ArcPieces given(blocks_, bine_.reached(partner, step + 1));
      const ArcPieces kept(blocks_, bine_.reached(member, step + 1));
      // What comes in first takes the own contribution in, where that must not change.
      void* target = now == folds ? static_cast<void*>(arrived.data()) : folds;
      COLLTREE_TRY(exchange(partner, now, given, target, kept));
      for (const Range& range : kept.range) {
        COLLTREE_TRY(r.fold(layout_.element(now == folds ? target : now, range.first),
                            layout_.element(folds, range.first), range.count));
      }
      now = folds;
    }
    return MPI_SUCCESS;
  }

  // From the blocks that the member stands for, in their place, to all.
  int gather(void* all) const {
    if (!takes_part()) return receive_elements(all, blocks_.total(), layout_, pair(), context_);
    const int member = group_.member();
    for (int step = bine_.steps() - 1; step >= 0; --step) {
      const int partner = bine_.partner(member, step);
      COLLTREE_TRY(exchange(partner, all, ArcPieces(blocks_, bine_.reached(member, step + 1)), all,
                            ArcPieces(blocks_, bine_.reached(partner, step + 1))));
    }
    return pair() < 0 ? MPI_SUCCESS
                      : send_elements(all, blocks_.total(), layout_, pair(), context_);
  }

 private:
  int exchange(int with, const void* from, const ArcPieces& given, void* to,
               const ArcPieces& taken) const {
    const int partner = group_.rank_of(with);
    Requests requests;
    for (const Range& range : taken.range) {
      COLLTREE_TRY(requests.post_receive_elements(layout_.element(to, range.first), range.count,
                                                  layout_, partner, context_));
    }
    for (const Range& range : given.range) {
      COLLTREE_TRY(requests.post_send_elements(layout_.element(from, range.first), range.count,
                                               layout_, partner, context_));
    }
    return requests.wait_all();
  }

  PowerGroup group_;
  Offsets blocks_;  // by member
  const TypeLayout& layout_;
  const Context& context_;
  Bine bine_;
};

int scatter_by_arcs(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  const Reduction& r = s.r;
  BineButterfly butterfly(r.size, r.rank, r.layout, context);
  COLLTREE_TRY(butterfly.open(s.blocks));
  Scratch folds;
  if (butterfly.takes_part()) COLLTREE_TRY(folds.allocate(r.layout, r.count));
  COLLTREE_TRY(butterfly.reduce(r, folds.data()));
  const Range own = s.blocks.range(r.rank);
  const int pair = butterfly.pair();
  if (!butterfly.takes_part())
    return receive_elements(r.result, own.count, r.layout, pair, context);
  if (pair >= 0) {
    const Range theirs = s.blocks.range(pair);
    COLLTREE_TRY(send_elements(r.layout.element(folds.data(), theirs.first), theirs.count, r.layout,
                               pair, context));
  }
  return copy(r.layout.element(folds.data(), own.first), r.result, own.count, r.layout, context);
}

int gather_by_arcs(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const TypeLayout bytes = bytes_layout();
  BineButterfly butterfly(g.size, g.rank, bytes, context);
  COLLTREE_TRY(butterfly.open(g.space.offsets()));
  const int pair = butterfly.pair();
  if (!butterfly.takes_part()) {
    COLLTREE_TRY(send_bytes(g.space.at(g.rank), g.space.bytes(g.rank), pair, context));
  } else if (pair >= 0) {
    COLLTREE_TRY(receive_bytes(g.space.at(pair), g.space.bytes(pair), pair, context));
  }
  COLLTREE_TRY(butterfly.gather(g.space.at(0)));
  return g.close(context);
}

}  // namespace

namespace rows {

int allgather_bine(const CollectiveCall& call, const Context& context) {
  return gather_by_arcs(call, context);
}

int allgatherv_bine(const CollectiveCall& call, const Context& context) {
  return gather_by_arcs(call, context);
}

int reduce_scatter_bine(const CollectiveCall& call, const Context& context) {
  return scatter_by_arcs(call, context);
}

int reduce_scatter_block_bine(const CollectiveCall& call, const Context& context) {
  return scatter_by_arcs(call, context);
}

int allreduce_bine(const CollectiveCall& call, const Context& context) {
  Reduction r;
  Offsets blocks;
  COLLTREE_TRY(r.open(call, context));
  COLLTREE_TRY(blocks.set_parts(r.size, r.count));
  BineButterfly butterfly(r.size, r.rank, r.layout, context);
  COLLTREE_TRY(butterfly.open(blocks));
  COLLTREE_TRY(butterfly.reduce(r, r.result));
  return butterfly.gather(r.result);
}

}  // namespace rows

}  // namespace colltree
