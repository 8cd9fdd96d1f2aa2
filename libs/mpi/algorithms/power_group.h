// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in steps of powers of two among any number of ranks (Thakur, Rabenseifner, Gropp,
// Optimization of collective communication operations in MPICH, 2005, on non-powers of two): of the
// first 2 (size - 2^k) ranks each even rank stands for itself and the next rank, so that 2^k
// members take part. Members stand for ranges of ranks, in order.
#pragma once

#include <algorithm>
#include <bit>

#include "algorithms/block_space.h"
#include "algorithms/reduction.h"

namespace colltree::algorithms {

// A rank's part of a reduction that is done by exchanges: first its own contribution, then what it
// and others contributed together. Ranks are folded in rank order where the operation asks for it:
// the peer must then stand for a range of ranks that lies beside this rank's. Only the ranges that
// were kept hold a result.
class Partial {
 public:
  Partial(const Reduction& reduction, const Context& context) : r_(reduction), context_(context) {}

  // `place`: memory of the whole message where the result is wanted; null: nowhere in particular.
  int open(void* place);

  // Sends `given` to the peer, receives `kept` from it and folds it in.
  int exchange(int peer, Range given, Range kept);
  int take(int peer, Range kept) { return exchange(peer, {}, kept); }
  int give(int peer, Range given) const;
  // Moves the range to the place, if it is not there.
  int settle(Range range);

  const std::byte* element(std::size_t i) const { return r_.layout.element(now_, i); }

 private:
  int spare(void** buffer);
  int fold(int peer, Range kept, void* received);

  const Reduction& r_;
  const Context& context_;
  const void* now_ = nullptr;  // the caller's, and not to be changed, until the first fold
  void* place_ = nullptr;
  Scratch place_memory_;
  Scratch spare_memory_;
};

inline constexpr int kNoMember = -1;

class PowerGroup {
 public:
  // `kept`: a rank that must be a member itself; its pair's other rank then is none. -1: nobody.
  PowerGroup(int size, int rank, int kept = -1)
      : PowerGroup(static_cast<int>(std::bit_floor(static_cast<unsigned>(size))), size, rank,
                   kept) {}
  // Likewise of any number of members, at least half of the ranks.
  static PowerGroup with_members(int members, int size, int rank) {
    return {members, size, rank, -1};
  }

  int members() const { return members_; }
  int member() const { return rank_of(member_) == rank_ ? member_ : kNoMember; }
  int rank_of(int member) const {
    if (member >= pairs_) return member + pairs_;
    return 2 * member + (2 * member + 1 == kept_ ? 1 : 0);
  }
  // The member that stands for this rank.
  int member_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  // The first of the ranks that the member, or `members()` as the end, stands for.
  int first_rank(int member) const { return member < pairs_ ? 2 * member : member + pairs_; }

  // The other rank of this rank's pair; -1: it has none.
  int pair() const { return rank_ < 2 * pairs_ ? rank_ ^ 1 : -1; }

  // Each pair's contributions come together in its member.
  int gather_pairs(Partial& partial, std::size_t count) const {
    if (pair() < 0) return MPI_SUCCESS;
    const Range message{0, count};
    return member() == kNoMember ? partial.give(pair(), message) : partial.take(pair(), message);
  }

 private:
  PowerGroup(int members, int size, int rank, int kept)
      : members_(members),
        pairs_(size - members),
        kept_(kept),
        rank_(rank),
        member_(member_of(rank)) {}

  int members_;
  int pairs_;
  int kept_;
  int rank_;
  int member_;
};

}  // namespace colltree::algorithms
