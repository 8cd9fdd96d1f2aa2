// SPDX-License-Identifier: BSD-3-Clause
// bcast and reduce circulant: the message's segments over a circulant graph, in
// n - 1 + ceil(log2 p) rounds in each of which a rank sends one and receives another (Traff,
// Optimal broadcast schedules in logarithmic time with applications to broadcast, all-broadcast,
// reduction and all-reduction, 2024, section 2). The reduction is the broadcast backwards (section
// 3).
#include <algorithm>
#include <span>

#include "algorithms/reduction.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// The steps that a path from the root may still take, the longest first: a list from which each
// that is found is taken out. Index 0 stands for the end.
class OpenSteps {
 public:
  explicit OpenSteps(int steps) {
    for (int i = 0; i <= steps + 1; ++i) {
      next_[i] = i - 1;
      before_[i] = i + 1;
    }
    before_[steps + 1] = 0;
    next_[0] = steps + 1;
  }
  void remove(int step) {
    const int i = step + 1;
    next_[before_[i]] = next_[i];
    before_[next_[i]] = before_[i];
  }
  int first() const { return next_[0] - 1; }
  int next(int step) const { return next_[step + 1] - 1; }  // -1: there is none

 private:
  int next_[34];
  int before_[34];
};

// A depth-first search for the paths, sums of different skips, on which the blocks of one turn
// come to a position: for each step the longest path that ends early enough and is shorter than
// the one found for the step before.
class PathSearch {
 public:
  PathSearch(const int* skips, int steps, long target, OpenSteps& open, int* found)
      : skips_(skips),
        steps_(steps),
        target_(target),
        last_(2L * skips[steps]),
        open_(open),
        found_(found) {}

  void run(long path, int step) {
    for (; step >= 0; step = open_.next(step)) {
      const long longer = path + skips_[step];
      if (done_ == steps_ || longer > target_ - skips_[done_] || longer >= last_) continue;
      if (longer <= target_ - skips_[done_ + 1]) run(longer, step);
      if (done_ == steps_ || path > target_ - skips_[done_ + 1]) return;
      last_ = longer;
      found_[done_++] = step;
      open_.remove(step);
    }
  }

 private:
  const int* skips_;
  int steps_;
  long target_;
  long last_;
  OpenSteps& open_;
  int* found_;
  int done_ = 0;
};

// Which block travels when. Positions count from the root. In round i each position sends to the
// one skip(i mod q) above it.
class BlockSchedule {
 public:
  BlockSchedule(int size, int position) : size_(size) {
    find_skips();
    find_received(position, received_);
    for (int step = 0; step < steps_; ++step) {
      int theirs[kMost];
      const long to = long{position} + skips_[step];
      find_received(static_cast<int>(to % size_), theirs);
      sent_[step] = theirs[step];
    }
  }

  int steps() const { return steps_; }  // q = ceil(log2 size)
  int skip(int step) const { return skips_[step]; }
  // In step k of a turn of q rounds: the block received and the block sent, from -q to q - 1;
  // below 0 they are those of the turn before, plus q.
  int received(int step) const { return received_[step]; }
  int sent(int step) const { return sent_[step]; }

 private:
  static constexpr int kMost = 32;

  void find_skips() {
    while (((size_ - 1) >> steps_) != 0) ++steps_;
    skips_[steps_] = size_;
    for (int step = steps_; step > 0; --step)
      skips_[step - 1] = skips_[step] / 2 + skips_[step] % 2;
  }

  // The last step of the shortest path there: the block that comes along it is a turn's new one.
  int base_block(int position) const {
    for (int step = steps_ - 1; step >= 0; --step) {
      if (skips_[step] == position) return step;
      if (skips_[step] < position) position -= skips_[step];
    }
    return steps_;
  }

  // received() of any position, for all steps of a turn; O(log^2 size).
  void find_received(int position, int* received) const {
    const int base = base_block(position);
    OpenSteps open(steps_);
    open.remove(base);
    PathSearch(skips_, steps_, long{size_} + position, open, received).run(0, open.first());
    for (int step = 0; step < steps_; ++step)
      received[step] = received[step] == steps_ ? base : received[step] - steps_;
  }

  int size_;
  int steps_ = 0;
  int skips_[kMost + 1];
  int received_[kMost];
  int sent_[kMost];
};

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

  // The block received in a round of a broadcast; a reduction does the opposite, last round first.
  // -1: nothing.
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
  // The number of earlier messages to the receiver of this round.
  std::size_t turn(std::int64_t round) const {
    return static_cast<std::size_t>(round / schedule_.steps());
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
    Receive incoming;
    if (in >= 0)
      COLLTREE_TRY(incoming.post(target, static_cast<int>(length(in)), r_.layout.type,
                                 rounds_.to(round), context_));
    if (out >= 0)
      COLLTREE_TRY(send_segment(sent, static_cast<int>(length(out)), r_.layout.type,
                                rounds_.from(round), rounds_.turn(round), context_));
    if (in < 0) return MPI_SUCCESS;
    COLLTREE_TRY(incoming.wait_whole(length(in) * r_.layout.size));
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
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == call.root, context));
  const Segments segments(message.bytes(), context.segment_size);
  const Rounds rounds(context.size, context.rank, call.root, segments.count());
  const auto piece = [&](std::int64_t block) -> std::span<std::byte> {
    if (block < 0) return {message.data(), 0};
    const auto i = static_cast<std::size_t>(block);
    return {message.data() + segments.offset(i), static_cast<std::size_t>(segments.length(i))};
  };
  // If a block has another length than a rank expects, which is an error of the program, the ranks
  // behind that one get empty ones, so that they do not wait and see it as well.
  int error = MPI_SUCCESS;
  for (std::int64_t round = rounds.first(); round < rounds.end(); ++round) {
    const std::span<std::byte> out = piece(rounds.sent(round));
    const std::span<std::byte> in = piece(rounds.received(round));
    if (out.empty()) {
      error = first_error(error, receive_bytes(in.data(), in.size(), rounds.from(round), context));
    } else if (in.empty()) {
      const int length = error == MPI_SUCCESS ? static_cast<int>(out.size()) : 0;
      error = first_error(error, send_segment(out.data(), length, MPI_BYTE, rounds.to(round),
                                              rounds.turn(round), context));
    } else {
      error = first_error(
          error, exchange_bytes_after(error, out.data(), out.size(), rounds.to(round), in.data(),
                                      in.size(), rounds.from(round), context));
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

}  // namespace colltree::algorithms
