// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv circulant: the broadcast of that name from all ranks at once, in the
// same rounds: the blocks of all are cut into n pieces each, and in a round a rank sends one piece
// of each of them to one rank and receives one of each from another (block_schedule.h names the
// paper, on all-broadcast). Where one block is much longer than the others it passes a rank once,
// not in each round.
#include <cstdint>

#include "algorithms/block_schedule.h"
#include "algorithms/gathering.h"
#include "algorithms/power_group.h"
#include "algorithms/rows.h"
#include "coll/circulant_pieces.h"

namespace colltree {

namespace {

class AllRounds {
 public:
  AllRounds(const Gathering& gathering, const Context& context)
      : g_(gathering), context_(context), schedule_(gathering.size, 0) {
    const std::size_t longest = g_.space.offsets().longest();
    pieces_ = static_cast<std::int64_t>(
        Segments(longest, circulant_segment(longest, context.segment_size,
                                            static_cast<std::size_t>(schedule_.steps())))
            .count());
    const std::int64_t turn = schedule_.steps();
    skipped_ = (turn - (pieces_ - 1) % turn) % turn;
  }

  int run() {
    if (pieces_ == 0) return MPI_SUCCESS;
    COLLTREE_TRY(find_received());
    const std::int64_t end = pieces_ - 1 + schedule_.steps() + skipped_;
    for (std::int64_t round = skipped_; round < end; ++round) COLLTREE_TRY(exchange(round));
    return g_.close(context_);
  }

 private:
  // Up to so many bytes, the pieces of a message travel as one, else each from and to its place.
  static constexpr std::size_t kMostPacked = 16384;

  int turn() const { return schedule_.steps(); }

  // What each position above a root receives in each step of a turn.
  int find_received() {
    const auto turn = static_cast<std::size_t>(schedule_.steps());
    received_.reset(new (std::nothrow) int[static_cast<std::size_t>(g_.size) * turn]);
    if (received_ == nullptr) return MPI_ERR_NO_MEM;
    for (int position = 0; position < g_.size; ++position)
      schedule_.find_received(position, &received_[static_cast<std::size_t>(position) * turn]);
    return MPI_SUCCESS;
  }

  // Calls visit(Range of bytes) for each piece that comes to `receiver` in this round, in one order
  // for both of its ends.
  template <typename Visit>
  int for_each_piece(int receiver, std::int64_t round, Visit visit) const {
    const auto step = static_cast<std::size_t>(round % turn());
    for (int position = 1; position < g_.size; ++position) {
      const int of_turn =
          received_[static_cast<std::size_t>(position) * static_cast<std::size_t>(turn()) + step];
      const std::int64_t piece = of_turn - skipped_ + round / turn() * turn();
      if (piece < 0) continue;
      const int root = (receiver + g_.size - position) % g_.size;
      const Range range = piece_of(root, std::min(piece, pieces_ - 1));
      if (range.count > 0) COLLTREE_TRY(visit(range));
    }
    return MPI_SUCCESS;
  }
  Range piece_of(int block, std::int64_t piece) const {
    const EqualParts parts(g_.space.bytes(block), static_cast<int>(pieces_));
    const auto i = static_cast<int>(piece);
    Range range = parts.range(i, i + 1);
    range.first += g_.space.offsets().begin(block);
    return range;
  }
  std::byte* at(Range range) const { return g_.space.at(0) + range.first; }
  std::size_t bytes(int receiver, std::int64_t round) const {
    std::size_t sum = 0;
    for_each_piece(receiver, round, [&](Range range) {
      sum += range.count;
      return int{MPI_SUCCESS};
    });
    return sum;
  }

  int exchange(std::int64_t round) const {
    const int skip = schedule_.skip(static_cast<int>(round % turn()));
    const int to = (g_.rank + skip) % g_.size;
    const int from = (g_.rank + g_.size - skip) % g_.size;
    const std::size_t in = bytes(g_.rank, round);
    const std::size_t out = bytes(to, round);
    Scratch packed;
    COLLTREE_TRY(packed.allocate((in <= kMostPacked ? in : 0) + (out <= kMostPacked ? out : 0)));
    Requests requests;
    COLLTREE_TRY(receive(round, in, packed.data(), from, requests));
    COLLTREE_TRY(send(round, out, packed.data() + (in <= kMostPacked ? in : 0), to, requests));
    COLLTREE_TRY(requests.wait_all());
    if (in > kMostPacked) return MPI_SUCCESS;
    const std::byte* next = packed.data();
    return for_each_piece(g_.rank, round, [&](Range range) {
      copy_bytes(next, at(range), range.count, context_);
      next += range.count;
      return int{MPI_SUCCESS};
    });
  }
  int receive(std::int64_t round, std::size_t length, std::byte* packed, int from,
              Requests& requests) const {
    if (length <= kMostPacked) return requests.post_receive_bytes(packed, length, from, context_);
    return for_each_piece(g_.rank, round, [&](Range range) {
      return requests.post_receive_bytes(at(range), range.count, from, context_);
    });
  }
  int send(std::int64_t round, std::size_t length, std::byte* packed, int to,
           Requests& requests) const {
    if (length > kMostPacked) {
      return for_each_piece(to, round, [&](Range range) {
        return requests.post_send_bytes(at(range), range.count, to, context_);
      });
    }
    std::byte* next = packed;
    COLLTREE_TRY(for_each_piece(to, round, [&](Range range) {
      copy_bytes(at(range), next, range.count, context_);
      next += range.count;
      return int{MPI_SUCCESS};
    }));
    return requests.post_send_bytes(packed, length, to, context_);
  }

  const Gathering& g_;
  const Context& context_;
  BlockSchedule schedule_;
  std::unique_ptr<int[]> received_;  // by position and step
  std::int64_t pieces_ = 0;          // of each block
  std::int64_t skipped_ = 0;         // rounds of the first turn in which nothing would be sent
};

int by_rounds(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  return AllRounds(g, context).run();
}

}  // namespace

namespace rows {

int allgather_circulant(const CollectiveCall& call, const Context& context) {
  return by_rounds(call, context);
}
int allgatherv_circulant(const CollectiveCall& call, const Context& context) {
  return by_rounds(call, context);
}

}  // namespace rows

}  // namespace colltree
