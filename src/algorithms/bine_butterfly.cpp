// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter, reduce_scatter_block, allgather and allreduce bine: in each step a rank gives its
// partner the half of the blocks that is the partner's (bine.h names the paper), which is a range
// of ranks around the end; allgather goes the same way back.
#include "algorithms/bine.h"
#include "algorithms/gathering.h"
#include "algorithms/offsets.h"
#include "algorithms/reduction.h"
#include "algorithms/rows.h"

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

class BineButterfly {
 public:
  BineButterfly(const Offsets& blocks, int rank, const TypeLayout& layout, const Context& context)
      : blocks_(blocks), rank_(rank), layout_(layout), context_(context), bine_(blocks.blocks()) {}

  // The rank's own block becomes the fold of all, in `folds`, memory of the whole message. The
  // other blocks of it hold no matter what.
  int reduce(const Reduction& r, void* folds) const {
    Scratch arrived;
    COLLTREE_TRY(arrived.allocate(layout_, r.count));
    const void* now = r.own;
    for (int step = 0; step < bine_.steps(); ++step) {
      const int partner = bine_.partner(rank_, step);
      const ArcPieces given(blocks_, bine_.reached(partner, step + 1));
      const ArcPieces kept(blocks_, bine_.reached(rank_, step + 1));
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

  // From the own block, in its place, to all.
  int gather(void* all) const {
    for (int step = bine_.steps() - 1; step >= 0; --step) {
      const int partner = bine_.partner(rank_, step);
      COLLTREE_TRY(exchange(partner, all, ArcPieces(blocks_, bine_.reached(rank_, step + 1)), all,
                            ArcPieces(blocks_, bine_.reached(partner, step + 1))));
    }
    return MPI_SUCCESS;
  }

 private:
  int exchange(int partner, const void* from, const ArcPieces& given, void* to,
               const ArcPieces& taken) const {
    Requests requests;
    for (const Range& range : taken.range) {
      const Segments parts(range.count, 0);
      for (std::size_t i = 0; i < parts.count(); ++i) {
        COLLTREE_TRY(requests.post_receive(layout_.element(to, range.first + parts.offset(i)),
                                           parts.length(i), layout_.type, partner, context_));
      }
    }
    for (const Range& range : given.range) {
      const Segments parts(range.count, 0);
      for (std::size_t i = 0; i < parts.count(); ++i) {
        COLLTREE_TRY(requests.post_send(layout_.element(from, range.first + parts.offset(i)),
                                        parts.length(i), layout_.type, partner, context_));
      }
    }
    return requests.wait_all();
  }

  const Offsets& blocks_;
  int rank_;
  const TypeLayout& layout_;
  const Context& context_;
  Bine bine_;
};

int scatter_by_arcs(const CollectiveCall& call, const Context& context) {
  Reduction r;
  Offsets blocks;
  COLLTREE_TRY(r.open(call, context));
  COLLTREE_TRY(call.receive_counts != nullptr
                   ? blocks.set_counts(r.size, call.receive_counts, 1)
                   : blocks.set_equal(r.size, static_cast<std::size_t>(call.receive_count)));
  Scratch folds;
  COLLTREE_TRY(folds.allocate(r.layout, r.count));
  COLLTREE_TRY(BineButterfly(blocks, r.rank, r.layout, context).reduce(r, folds.data()));
  const Range own = blocks.range(r.rank);
  return copy(r.layout.element(folds.data(), own.first), r.result, own.count, r.layout, context);
}

int gather_by_arcs(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const TypeLayout bytes = bytes_layout();
  COLLTREE_TRY(BineButterfly(g.space.offsets(), g.rank, bytes, context).gather(g.space.at(0)));
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
  const BineButterfly butterfly(blocks, r.rank, r.layout, context);
  COLLTREE_TRY(butterfly.reduce(r, r.result));
  return butterfly.gather(r.result);
}

}  // namespace rows

}  // namespace colltree
