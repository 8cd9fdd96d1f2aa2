// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter, reduce_scatter_block and allreduce circulant: halving among any number of ranks.
// In each step the half of the blocks that are left, rounded down, goes to the rank as far away as
// the other half is long (Traff, Optimal, non-pipelined reduce-scatter and allreduce algorithms,
// 2024, section 2): ceil(log2 p) steps, and no rank sends a block more than the p - 1 that it must.
#include "algorithms/reduction.h"

namespace colltree::algorithms {

namespace {

// Blocks by how far above this rank their owner is, around the end.
class CirculantHalving {
 public:
  CirculantHalving(const Reduction& r, const Offsets& blocks, const Context& context)
      : r_(r), blocks_(blocks), context_(context) {
    for (int left = r.size; left > 1; left = (left + 1) / 2) lengths_[steps_++] = left;
    lengths_[steps_] = 1;
  }

  // The result of the rank's own block comes to `result`, which may lie in the caller's message.
  int reduce(void* result) {
    // Until the first step is over the message is needed.
    const bool direct = steps_ > 1 || !r_.in_place();
    COLLTREE_TRY(folds_.allocate(r_.layout, elements(0, lengths_[1])));
    COLLTREE_TRY(first_step(steps_ == 1 && direct ? result : folds_.data()));
    if (steps_ > 2) COLLTREE_TRY(arrived_.allocate(r_.layout, elements(0, lengths_[2])));
    for (int step = 1; step < steps_; ++step) {
      const int kept = lengths_[step + 1];
      const int given = lengths_[step] - kept;
      const bool last = step + 1 == steps_;
      void* target = last ? result : arrived_.data();
      Requests requests;
      COLLTREE_TRY(requests.post_receive_elements(target, elements(0, given), r_.layout,
                                                  below(kept), context_));
      COLLTREE_TRY(requests.post_send_elements(
          at(folds_.data(), kept), elements(kept, kept + given), r_.layout, above(kept), context_));
      COLLTREE_TRY(requests.wait_all());
      COLLTREE_TRY(r_.fold(last ? folds_.data() : target, last ? target : folds_.data(),
                           elements(0, given)));
    }
    if (direct) return MPI_SUCCESS;
    return copy(folds_.data(), result, blocks_.count(r_.rank), r_.layout, context_);
  }

  // The same steps backwards: each rank's block, which lies in its place of `message`, to everyone.
  int gather(void* message) const {
    for (int step = steps_ - 1; step >= 0; --step) {
      const int have = lengths_[step + 1];
      const int wanted = lengths_[step] - have;
      Requests requests;
      COLLTREE_TRY(for_each_piece(have, have + wanted, [&](Range piece, std::size_t) {
        return requests.post_receive_elements(r_.layout.element(message, piece.first), piece.count,
                                              r_.layout, above(have), context_);
      }));
      COLLTREE_TRY(for_each_piece(0, wanted, [&](Range piece, std::size_t) {
        return requests.post_send_elements(r_.layout.element(message, piece.first), piece.count,
                                           r_.layout, below(have), context_);
      }));
      COLLTREE_TRY(requests.wait_all());
    }
    return MPI_SUCCESS;
  }

 private:
  int above(int distance) const { return (r_.rank + distance) % r_.size; }
  int below(int distance) const { return (r_.rank + r_.size - distance) % r_.size; }

  // Calls visit(where it lies in the message, elements before it) for the one or two pieces that
  // the blocks at distances first .. end - 1 are.
  template <typename Visit>
  int for_each_piece(int first, int end, Visit visit) const {
    const int wrap = r_.size - r_.rank;  // the distance of rank 0
    const int middle = std::clamp(wrap, first, end);
    Range before;
    if (first < middle) {
      before = blocks_.range(r_.rank + first, r_.rank + middle);
      COLLTREE_TRY(visit(before, std::size_t{0}));
    }
    if (middle == end) return MPI_SUCCESS;
    return visit(blocks_.range(middle - wrap, end - wrap), before.count);
  }
  std::size_t elements(int first, int end) const {
    std::size_t sum = 0;
    for_each_piece(first, end, [&](Range piece, std::size_t) {
      sum += piece.count;
      return int{MPI_SUCCESS};
    });
    return sum;
  }
  // The address of the block at this distance in memory that begins with the block at distance 0.
  std::byte* at(std::byte* base, int distance) const {
    return r_.layout.element(base, elements(0, distance));
  }

  // The half that goes away is sent from the caller's memory, as the pieces that it is there, and
  // the own contribution to the other is folded into what comes in: nothing is copied but the
  // block, if there is any, that nothing comes in for.
  int first_step(void* folds) {
    const int kept = lengths_[1];
    const int given = r_.size - kept;
    Requests requests;
    // The sender cuts them where this rank does: at the block of rank 0.
    COLLTREE_TRY(for_each_piece(0, given, [&](Range piece, std::size_t before) {
      return requests.post_receive_elements(r_.layout.element(folds, before), piece.count,
                                            r_.layout, below(kept), context_);
    }));
    COLLTREE_TRY(for_each_piece(kept, r_.size, [&](Range piece, std::size_t) {
      return requests.post_send_elements(r_.layout.element(r_.own, piece.first), piece.count,
                                         r_.layout, above(kept), context_);
    }));
    COLLTREE_TRY(requests.wait_all());
    COLLTREE_TRY(for_each_piece(0, given, [&](Range piece, std::size_t before) {
      return r_.fold(r_.layout.element(r_.own, piece.first), r_.layout.element(folds, before),
                     piece.count);
    }));
    if (given == kept) return MPI_SUCCESS;
    return for_each_piece(given, kept, [&](Range piece, std::size_t) {
      return copy(r_.layout.element(r_.own, piece.first),
                  r_.layout.element(folds, elements(0, given)), piece.count, r_.layout, context_);
    });
  }

  static constexpr int kMostSteps = 32;
  const Reduction& r_;
  const Offsets& blocks_;
  const Context& context_;
  int lengths_[kMostSteps + 1];  // blocks that are left before each step, and at the end
  int steps_ = 0;
  Scratch folds_;
  Scratch arrived_;
};

}  // namespace

int reduce_scatter_circulant(const CollectiveCall& call, const Context& context) {
  Scattering s;
  COLLTREE_TRY(s.open(call, context));
  CirculantHalving halving(s.r, s.blocks, context);
  return halving.reduce(s.r.result);
}

int allreduce_circulant(const CollectiveCall& call, const Context& context) {
  Reduction r;
  Offsets blocks;
  COLLTREE_TRY(r.open(call, context));
  COLLTREE_TRY(blocks.set_parts(r.size, r.count));
  CirculantHalving halving(r, blocks, context);
  COLLTREE_TRY(halving.reduce(r.layout.element(r.result, blocks.begin(r.rank))));
  return halving.gather(r.result);
}

}  // namespace colltree::algorithms
