// SPDX-License-Identifier: BSD-3-Clause
// Collectives of the ranks of one node in memory that all of them have mapped, without MPI: the
// protocol, whose every interleaving the tests beside it look at. Flags and copies as in Graham,
// Shipman, MPI support for multi-core architectures: optimized shared memory collectives (2008);
// slices as in Jain, Kaleem, Balmana, Langer, Durnov, Sannikov, Garzaran, Framework for scalable
// intra-node collective operations using shared memory (2018).
//
// All that the ranks of a group do is a row of steps, numbered from 1, the same on every rank. Each
// rank owns kSlots short slots, of kShortBytes, and kLongSlots long ones; in step s it may write
// its slot s % kSlots or s % kLongSlots, then it posts the step: it stores s to the flag of its
// short slot, which nobody else stores to. Flags only grow, so that a flag of s or more says that
// the rank has posted s and all before.
//
// The memory order. A post is a release and a wait for it an acquire. So whoever has seen rank r
// post s sees all that r wrote before, and all that r had seen by then.
//   (1) What is read in a step was posted in it or, the sums of slices, one step before; the reader
//       has waited for that post.
//   (2) A rank that has posted s + 2 reads nothing of step s any more, nor adds anything up in
//       another rank's slot of that step.
//   (3) A rank posts s, or writes its slot, only if it knows that all ranks have posted
//       s - kSlots + 2, for a long slot s - kLongSlots + 2: because it waited for them or, of short
//       slots, because it saw a rank post s, which knew it. (Trees: shared_trees.h.)
// It follows from (2) and (3) that nobody uses what a rank writes over. Nothing else is shared but
// the flags, and a flag that is seen late is one that is smaller: a wait only ends later. So there
// is no race on data, and no order stronger than release and acquire is needed. A wait is always
// for a rank to enter a step no later than the waiter's own, as in any collective, so steps add no
// deadlock.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace colltree::algorithms {

// How a call ended. After another end than the first the arena is broken: on all ranks this call,
// if they wait in it, and every later one end so, too.
enum class SharedEnd : std::uint8_t {
  kWell,
  kMismatch,  // another rank makes another call, or one of another length
  kFailed,    // adding up failed, or a rank is lost
};

// A rank's place among the steps.
struct StepCount {
  std::uint64_t next = 1;
  std::uint64_t all_posted = 0;  // every rank is known to have posted this step
};

// Elements of one contribution: in a rank's slot of a step, or, rank -1, in memory of this rank.
struct Contribution {
  std::byte* data;
  int rank;
  std::uint64_t step;
  std::size_t first;  // byte of the slot
};
inline Contribution of_this_rank(const std::byte* data) {
  return {const_cast<std::byte*>(data), -1, 0, 0};
}

inline constexpr int kMostSharedRanks = 256;

// Contributions that are added up: `count` elements of `element` bytes each, in segments.
// fold(lower, upper, elements): upper = lower op upper; false where it fails.
template <typename Fold>
struct SharedSum {
  const std::byte* own;
  std::byte* result;  // null where it is not wanted; may be `own`
  std::size_t count;
  std::size_t element;
  std::size_t segment;  // elements; a slot takes them
  bool commutes;
  std::byte* spare;  // room; fold_all: for all ranks' contributions; DirectSteps: for a segment
                     // and, where the result is not wanted or is `own`, the rank's slice
  Fold fold;
};

// One call. `Arena` (SharedArena, shared_arena.h, or a test's) has
//   slots() (kSlots above), kShortBytes, kLongSlots, kLongBytes
//   slot(rank, step, bytes)                    where a contribution of this length lies
//   post(step, stamp), await(rank, step)       flags; await: false if the arena is broken
//   agrees(rank, step, stamp)                  the rank's stamp of that step is the same
//   reads(c, bytes), writes(c, bytes)          are called at each access to a slot
//   pull(rank, address, to, bytes)             copies from the rank's own memory (shared_direct.h)
//   break_off(end), end()                      lets all ranks out of their waits; how it did
template <typename Arena>
class SharedSteps {
 public:
  SharedSteps(Arena& arena, StepCount& count, int rank, int size)
      : arena_(arena), count_(count), rank_(rank), size_(size), end_(arena.end()) {}

  SharedEnd barrier() {
    stamp_ = stamp(0, 0);
    is_well() && enter(0) && post() && await_all();
    return close();
  }

  // Sends pieces of `segment` bytes, at most kLongBytes.
  SharedEnd bcast(int root, std::byte* data, std::size_t bytes, std::size_t segment) {
    stamp_ = stamp(1, bytes);
    for (std::size_t done = 0; done < bytes && is_well(); done += segment) {
      const std::size_t length = std::min(segment, bytes - done);
      if (rank_ == root) {
        enter(length) && put(0, data + done, length, length) && post();
      } else {
        await(root) && get(slot(root, count_.next, length), data + done, length) && post();
      }
      ++count_.next;
    }
    return end_;
  }

  // The root alone adds up.
  template <typename Fold>
  SharedEnd reduce_at_root(int root, const SharedSum<Fold>& sum) {
    stamp_ = stamp(2, sum.count * sum.element);
    for (std::size_t done = 0; done < sum.count && is_well(); done += sum.segment) {
      const Range piece{done, std::min(sum.segment, sum.count - done)};
      if (rank_ == root) {
        await_all() && add_at_root(sum, piece) && post();
      } else {
        enter(piece.count * sum.element) && put_all(sum, piece) && post();
      }
      ++count_.next;
    }
    return end_;
  }

  // Every rank adds up all, for short messages: `spare` has room for all contributions.
  template <typename Fold>
  SharedEnd fold_all(const SharedSum<Fold>& sum) {
    stamp_ = stamp(3, sum.count * sum.element);
    is_well() && enter(sum.count * sum.element) && put_all(sum, {0, sum.count}) && post() &&
        await_all() && add_alone(sum);
    return close();
  }

  // Each rank adds up its slice of each segment, in the step in which all have put it there; in the
  // next step the results of the slices are taken.
  template <typename Fold>
  SharedEnd reduce_slices(const SharedSum<Fold>& sum) {
    stamp_ = stamp(4, sum.count * sum.element);
    Range before{0, 0};
    for (std::size_t done = 0; is_well(); done += sum.segment) {
      const Range piece{done, done < sum.count ? std::min(sum.segment, sum.count - done) : 0};
      enter(piece.count * sum.element) && put_for_others(sum, piece) && post() && await_all() &&
          add_slice(sum, piece) && take_slices(sum, before);
      ++count_.next;
      if (piece.count == 0) break;
      before = piece;
    }
    return end_;
  }

 protected:
  struct Range {  // elements
    std::size_t first;
    std::size_t count;
  };

  static std::uint64_t stamp(std::uint64_t kind, std::uint64_t bytes) { return bytes << 4 | kind; }
  bool is_well() const { return end_ == SharedEnd::kWell; }
  SharedEnd close() {
    ++count_.next;
    return end_;
  }
  bool fail(SharedEnd end) {
    end_ = end;
    arena_.break_off(end);
    return false;
  }
  bool wait_for(int rank, std::uint64_t step) {
    if (arena_.await(rank, step)) return true;
    end_ = arena_.end();
    return false;
  }

  // (3), before a contribution of this length is written, and before the step is posted.
  bool enter(std::size_t bytes) {
    const std::uint64_t behind =
        (bytes <= Arena::kShortBytes ? arena_.slots() : Arena::kLongSlots) - 2;
    if (count_.next <= behind || count_.all_posted >= count_.next - behind) return true;
    // A rank that waits for more than it must reads everybody's flag once in many calls.
    return await_all(count_.next - std::max<std::uint64_t>(behind / 2, 2));
  }
  bool post() {
    arena_.post(count_.next, stamp_);
    return true;
  }
  bool await_all() {
    if (!await_all(count_.next)) return false;
    for (int i = 0; i < size_; ++i) {
      if (i != rank_ && !arena_.agrees(i, count_.next, stamp_)) return fail(SharedEnd::kMismatch);
    }
    return true;
  }
  bool await_all(std::uint64_t step) {
    for (int i = 1; i < size_; ++i) {
      const int peer_rank = rank_ + i < size_ ? rank_ + i : rank_ + i - size_;
      if (!wait_for(peer_rank, step)) return false;
    }
    count_.all_posted = std::max(count_.all_posted, step);
    return true;
  }
  bool await(int rank) {
    const std::uint64_t behind = arena_.slots() - 2;
    if (!wait_for(rank, count_.next)) return false;
    if (count_.next > behind) count_.all_posted = std::max(count_.all_posted, count_.next - behind);
    return arena_.agrees(rank, count_.next, stamp_) || fail(SharedEnd::kMismatch);
  }

  // `bytes`: of the whole contribution, which decide where in the slot it lies.
  Contribution slot(int rank, std::uint64_t step, std::size_t bytes) const {
    return {arena_.slot(rank, step, bytes), rank, step, 0};
  }
  static Contribution part(Contribution whole, std::size_t first) {
    whole.data += first;
    whole.first += first;
    return whole;
  }
  bool put(std::size_t first, const std::byte* from, std::size_t length, std::size_t bytes) {
    copy(of_this_rank(from), part(slot(rank_, count_.next, bytes), first), length);
    return true;
  }
  bool get(const Contribution& from, std::byte* to, std::size_t length) {
    copy(from, of_this_rank(to), length);
    return true;
  }
  void copy(const Contribution& from, const Contribution& to, std::size_t length) {
    if (length == 0 || from.data == to.data) return;
    arena_.reads(from, length);
    arena_.writes(to, length);
    std::memcpy(to.data, from.data, length);
  }

  // The elements of a segment that the rank adds up: whole cache lines where elements allow it.
  Range slice(int rank, std::size_t count, std::size_t element) const {
    const std::size_t unit = element < 64 && 64 % element == 0 ? 64 / element : 1;
    const auto ranks = static_cast<std::size_t>(size_);
    const std::size_t length = ((count + ranks - 1) / ranks + unit - 1) / unit * unit;
    const std::size_t first = std::min(count, static_cast<std::size_t>(rank) * length);
    return {first, std::min(length, count - first)};
  }

  template <typename Fold>
  bool put_all(const SharedSum<Fold>& sum, Range piece) {
    const std::size_t bytes = piece.count * sum.element;
    return put(0, sum.own + piece.first * sum.element, bytes, bytes);
  }
  // Neighbours, then pairs of neighbours, ... (SumTree::kNearPairs), but for the last pair, which
  // is half_top() and the highest rank: add(lower, upper) for ranks at whose places all that lies
  // is added to the upper's.
  template <typename Add>
  bool add_pairs(Add add) const {
    const int members = this->members();
    for (int i = 0; i < size_ - members; ++i) {
      if (!add(2 * i, 2 * i + 1)) return false;
    }
    for (int distance = 1; distance < members / 2; distance *= 2) {
      for (int member = 0; member < members; member += 2 * distance) {
        if (!add(top(member + distance - 1), top(member + 2 * distance - 1))) return false;
      }
    }
    return true;
  }
  int members() const { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size_))); }
  int top(int member) const {
    const int pairs = size_ - members();
    return member < pairs ? 2 * member + 1 : member + pairs;
  }
  int half_top() const { return top(members() / 2 - 1); }

  template <typename Fold>
  bool fold(const SharedSum<Fold>& sum, const Contribution& lower, const Contribution& upper,
            std::size_t count) {
    if (count == 0) return true;
    arena_.reads(lower, count * sum.element);
    arena_.writes(upper, count * sum.element);
    return sum.fold(lower.data, upper.data, count) || fail(SharedEnd::kFailed);
  }
  // The last pair, to memory of this rank.
  template <typename Fold>
  bool fold_last(const SharedSum<Fold>& sum, const Contribution* all, std::byte* to,
                 std::size_t count) {
    copy(all[size_ - 1], of_this_rank(to), count * sum.element);
    return fold(sum, all[half_top()], of_this_rank(to), count);
  }

  // The own contribution is added to, or written over before it is read: a copy goes into the slot.
  template <typename Fold>
  bool add_at_root(const SharedSum<Fold>& sum, Range piece) {
    const bool is_copied = size_ > 2 || (rank_ == 0 && sum.own == sum.result);
    if (is_copied) put_all(sum, piece);
    Contribution all[kMostSharedRanks];
    for (int i = 0; i < size_; ++i) all[i] = slot(i, count_.next, piece.count * sum.element);
    if (!is_copied) all[rank_] = of_this_rank(sum.own + piece.first * sum.element);
    const auto add = [&](int lower, int upper) {
      return fold(sum, all[lower], all[upper], piece.count);
    };
    return add_pairs(add) &&
           fold_last(sum, all, sum.result + piece.first * sum.element, piece.count);
  }

  // The others read the slots too.
  template <typename Fold>
  bool add_alone(const SharedSum<Fold>& sum) {
    const std::size_t bytes = sum.count * sum.element;
    Contribution all[kMostSharedRanks];
    for (int i = 0; i < size_; ++i) all[i] = slot(i, count_.next, bytes);
    const auto add = [&](int lower, int upper) {
      if (all[upper].rank >= 0) {
        std::byte* const spare = sum.spare + static_cast<std::size_t>(upper) * bytes;
        get(all[upper], spare, bytes);
        all[upper] = of_this_rank(spare);
      }
      return fold(sum, all[lower], all[upper], sum.count);
    };
    return add_pairs(add) && fold_last(sum, all, sum.result, sum.count);
  }

  // If there are two ranks, each adds its own slice to the other's where the operation lets it, and
  // else the upper rank's slot has the sums.
  template <typename Fold>
  bool put_for_others(const SharedSum<Fold>& sum, Range piece) {
    if (size_ > 2 || (!sum.commutes && rank_ == 1)) return put_all(sum, piece);
    const std::size_t bytes = piece.count * sum.element;
    const std::byte* from = sum.own + piece.first * sum.element;
    const Range its = slice(rank_, piece.count, sum.element);
    const std::size_t begin = its.first * sum.element;
    const std::size_t end = (its.first + its.count) * sum.element;
    return put(0, from, begin, bytes) && put(end, from + end, bytes - end, bytes);
  }
  // The rank in whose slot the sum of the rank's slice comes to be.
  template <typename Fold>
  int place_of_sum(const SharedSum<Fold>& sum, int rank) const {
    return size_ == 2 && sum.commutes ? 1 - rank : size_ - 1;
  }
  template <typename Fold>
  bool add_slice(const SharedSum<Fold>& sum, Range piece) {
    const Range its = slice(rank_, piece.count, sum.element);
    const std::size_t bytes = piece.count * sum.element;
    const std::size_t first = its.first * sum.element;
    if (size_ > 2) {
      Contribution all[kMostSharedRanks];
      for (int i = 0; i < size_; ++i) all[i] = part(slot(i, count_.next, bytes), first);
      const auto add = [&](int lower, int upper) {
        return fold(sum, all[lower], all[upper], its.count);
      };
      return add_pairs(add) && add(half_top(), size_ - 1);
    }
    const int to = place_of_sum(sum, rank_);
    const Contribution lower = rank_ == to
                                   ? part(slot(0, count_.next, bytes), first)
                                   : of_this_rank(sum.own + piece.first * sum.element + first);
    return fold(sum, lower, part(slot(to, count_.next, bytes), first), its.count);
  }
  template <typename Fold>
  bool take_slices(const SharedSum<Fold>& sum, Range piece) {
    for (int i = 0; sum.result != nullptr && i < size_; ++i) {
      const Range its = slice(i, piece.count, sum.element);
      const std::size_t first = its.first * sum.element;
      const Contribution from =
          slot(place_of_sum(sum, i), count_.next - 1, piece.count * sum.element);
      get(part(from, first), sum.result + piece.first * sum.element + first,
          its.count * sum.element);
    }
    return true;
  }

  Arena& arena_;
  StepCount& count_;
  int rank_;
  int size_;
  std::uint64_t stamp_ = 0;
  SharedEnd end_;
};

}  // namespace colltree::algorithms
