// SPDX-License-Identifier: BSD-3-Clause
// bcast and reduce circulant: the message's segments, in n - 1 + ceil(log2 p) rounds in each of
// which a rank sends one and receives another (block_schedule.h names the paper, section 2 on
// broadcast). The reduction is the broadcast backwards (section 3).
#include <algorithm>

#include "algorithms/block_schedule.h"
#include "algorithms/byte_message.h"
#include "algorithms/reduction.h"
#include "algorithms/rows.h"
#include "algorithms/trees.h"

namespace colltree {

namespace {

// The rounds of a rank: what comes from where and goes where.
class Rounds {
 public:
  Rounds(int size, int rank, int root, std::size_t blocks)
      : size_(size),
        placement_(Placement::from_root(size, root)),
        position_(placement_.position(rank)),
        schedule_(size, position_),
        blocks_(static_cast<std::int64_t>(blocks)) {
    const int turn = schedule_.steps();
    skipped_ = static_cast<int>((turn - (blocks_ - 1) % turn) % turn);
  }

  // Some at the beginning of the first turn, in which nothing would be sent, are left out.
  std::int64_t first() const { return skipped_; }
  std::int64_t end() const { return blocks_ - 1 + schedule_.steps() + skipped_; }

  // Of a broadcast; a reduction does the opposite, last round first. -1: nothing.
  std::int64_t received(std::int64_t round) const {
    return position_ == 0 ? -1 : block(schedule_.received(step(round)), round);
  }
  std::int64_t sent(std::int64_t round) const {
    const bool to_root = (position_ + schedule_.skip(step(round))) % size_ == 0;
    return to_root ? -1 : block(schedule_.sent(step(round)), round);
  }
  int to(std::int64_t round) const {
    return placement_.rank(
        static_cast<int>((position_ + std::int64_t{schedule_.skip(step(round))}) % size_));
  }
  int from(std::int64_t round) const {
    return placement_.rank((position_ - schedule_.skip(step(round)) + size_) % size_);
  }

 private:
  int step(std::int64_t round) const { return static_cast<int>(round % schedule_.steps()); }
  // The new ones of the last turn are the last block.
  std::int64_t block(int of_turn, std::int64_t round) const {
    const std::int64_t turn = schedule_.steps();
    const std::int64_t found = of_turn - skipped_ + round / turn * turn;
    return found < 0 ? -1 : std::min(found, blocks_ - 1);
  }

  int size_;
  Placement placement_;
  int position_;
  BlockSchedule schedule_;
  std::int64_t blocks_;
  int skipped_ = 0;
};

// A message that a rank exchanges, or does not.
struct Piece {
  std::byte* data = nullptr;
  std::size_t length = 0;
};

// Before the block is there its contributions are folded into memory of the rank's own.
class BlockFold {
 public:
  BlockFold(const Reduction& r, const Segments& segments, const Context& context)
      : r_(r),
        segments_(segments),
        context_(context),
        rounds_(r.size, r.rank, r.root, segments.count()) {}

  int run() {
    COLLTREE_TRY(arrived_.allocate(r_.layout, segments_.longest()));
    folds_ = r_.result;
    if (folds_ == nullptr) {
      COLLTREE_TRY(memory_.allocate(r_.layout, r_.count));
      folds_ = memory_.data();
    }
    COLLTREE_TRY(begun_.allocate(segments_.count()));
    std::fill_n(begun_.data(), segments_.count(), std::byte{r_.in_place() && folds_ == r_.result});
    for (std::int64_t round = rounds_.end() - 1; round >= rounds_.first(); --round)
      COLLTREE_TRY(exchange(round));
    return MPI_SUCCESS;
  }

 private:
  bool begun(std::int64_t block) const { return begun_.data()[block] != std::byte{0}; }
  std::size_t offset(std::int64_t block) const {
    return segments_.offset(static_cast<std::size_t>(block));
  }
  std::byte* fold(std::int64_t block) const { return r_.layout.element(folds_, offset(block)); }
  const std::byte* own(std::int64_t block) const {
    return r_.layout.element(r_.own, offset(block));
  }
  std::size_t length(std::int64_t block) const {
    return block < 0 ? 0
                     : static_cast<std::size_t>(segments_.length(static_cast<std::size_t>(block)));
  }

  int exchange(std::int64_t round) {
    const std::int64_t out = rounds_.received(round);
    const std::int64_t in = rounds_.sent(round);
    const void* sent = out < 0 ? nullptr : begun(out) ? fold(out) : own(out);
    const bool first = in >= 0 && !begun(in);
    void* target = first ? static_cast<void*>(fold(in)) : arrived_.data();
    COLLTREE_TRY(exchange_elements(sent, length(out), rounds_.from(round), target, length(in),
                                   rounds_.to(round), r_.layout, context_));
    if (in < 0) return MPI_SUCCESS;
    begun_.data()[in] = std::byte{1};
    return r_.fold(first ? own(in) : arrived_.data(), fold(in), length(in));
  }

  const Reduction& r_;
  const Segments& segments_;
  const Context& context_;
  Rounds rounds_;
  void* folds_ = nullptr;
  Scratch memory_;
  Scratch arrived_;
  Scratch begun_;  // a byte for each block: whether its fold has begun
};

}  // namespace

int bcast_circulant(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  ByteMessage message;
  COLLTREE_TRY(message.open(call, rank == call.root, context));
  const Segments segments(message.bytes(), context.segment_size);
  const Rounds rounds(size, rank, call.root, segments.count());
  const auto piece = [&](std::int64_t block) -> Piece {
    if (block < 0) return {message.data(), 0};
    const auto i = static_cast<std::size_t>(block);
    return {message.data() + segments.offset(i), static_cast<std::size_t>(segments.length(i))};
  };
  // Where a block has another length than a rank expects, an error of the program, the ranks behind
  // that one get empty ones, so that they do not wait and see it as well.
  int error = MPI_SUCCESS;
  for (std::int64_t round = rounds.first(); round < rounds.end(); ++round) {
    const Piece out = piece(rounds.sent(round));
    const Piece in = piece(rounds.received(round));
    if (out.length == 0) {
      error = first_error(error, receive_bytes(in.data, in.length, rounds.from(round), context));
    } else if (in.length == 0) {
      error = first_error(error,
                          send_bytes_after(error, out.data, out.length, rounds.to(round), context));
    } else {
      error =
          first_error(error, exchange_bytes_after(error, out.data, out.length, rounds.to(round),
                                                  in.data, in.length, rounds.from(round), context));
    }
  }
  return first_error(error, message.close(context));
}

int reduce_circulant(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const Segments segments(r.count, elements_per_segment(context, r.layout));
  return BlockFold(r, segments, context).run();
}

}  // namespace colltree
