// SPDX-License-Identifier: BSD-3-Clause
// scan and exscan. Recursive doubling: Hillis, Steele, Data parallel algorithms (1986). Binomial:
// up and down one tree, Sanders, Traff, Parallel prefix (scan) algorithms for MPI (2006). All keep
// the order of ranks.
#include <utility>

#include "algorithms/power_group.h"

namespace colltree::algorithms {

namespace {

// An exclusive scan keeps two values apart: `result`, the fold of ranks below, and this rank's own
// contribution, which in place is saved because the result takes its memory.
class Exclusive {
 public:
  Exclusive(const Reduction& r, const Context& context) : r_(r), context_(context), own_(r.own) {}

  int open() {
    if (!r_.in_place()) return MPI_SUCCESS;
    COLLTREE_TRY(saved_.allocate(r_.layout, r_.count));
    own_ = saved_.data();
    return copy(r_.own, saved_.data(), r_.count, r_.layout, context_);
  }

  const void* own() const { return own_; }

  // Folds in what a lower rank sends, for all ranks from there up to where the result begins.
  int take(int from) {
    if (!any_) {
      any_ = true;
      return receive_elements(r_.result, r_.count, r_.layout, from, context_);
    }
    if (received_.data() == nullptr) COLLTREE_TRY(received_.allocate(r_.layout, r_.count));
    COLLTREE_TRY(receive_elements(received_.data(), r_.count, r_.layout, from, context_));
    return r_.fold(received_.data(), r_.result, r_.count);
  }

  // Sends the fold with the own contribution. `again`: nothing was taken since it was made.
  int give(int to, bool again = false) {
    if (!any_) return send_elements(own_, r_.count, r_.layout, to, context_);
    if (!again) {
      if (inclusive_.data() == nullptr) COLLTREE_TRY(inclusive_.allocate(r_.layout, r_.count));
      COLLTREE_TRY(copy(own_, inclusive_.data(), r_.count, r_.layout, context_));
      COLLTREE_TRY(r_.fold(r_.result, inclusive_.data(), r_.count));
    }
    return send_elements(inclusive_.data(), r_.count, r_.layout, to, context_);
  }

 private:
  const Reduction& r_;
  const Context& context_;
  const void* own_;
  Scratch saved_;
  Scratch received_;
  Scratch inclusive_;
  bool any_ = false;  // the result holds something
};

// Position rank + 1 in the tree: it takes from those at distances below its lowest set bit, and
// gives to the one at that distance above.
int lowest_bit(int rank) { return (rank + 1) & -(rank + 1); }

// Rank, size and distance without overflow.
bool exists(const Reduction& r, int distance) { return distance < r.size - r.rank; }

// The doubling's fold of the ranks of one group, besides the result: first the caller's
// contribution, which in place is saved because the result takes its memory.
class Doubling {
 public:
  Doubling(const Reduction& r, const Context& context) : r_(r), context_(context), now_(r.own) {}

  int open() {
    COLLTREE_TRY(spare_memory_.allocate(r_.layout, r_.count));
    spare_ = spare_memory_.data();
    if (r_.size == 2 && !r_.in_place()) return MPI_SUCCESS;  // one exchange, no fold
    COLLTREE_TRY(group_memory_.allocate(r_.layout, r_.count));
    group_ = group_memory_.data();
    return r_.in_place() ? take_own() : MPI_SUCCESS;
  }

  // Exchanges folds with the peer; a lower one's is then at received().
  int exchange(int peer) {
    return exchange_elements(now_, r_.count, peer, spare_, r_.count, peer, r_.layout, context_);
  }
  const void* received() const { return spare_; }

  // MPI_Reduce_local leaves the fold in its higher operand.
  int fold(int peer) {
    const bool ours_is_higher = peer < r_.rank;
    if (now_ != group_ && ours_is_higher && !r_.commutative) COLLTREE_TRY(take_own());
    if (now_ == group_ && (ours_is_higher || r_.commutative))
      return r_.fold(spare_, group_, r_.count);
    COLLTREE_TRY(r_.fold(now_, spare_, r_.count));
    std::swap(group_, spare_);
    now_ = group_;
    return MPI_SUCCESS;
  }

 private:
  int take_own() {
    now_ = group_;
    return copy(r_.own, group_, r_.count, r_.layout, context_);
  }

  const Reduction& r_;
  const Context& context_;
  const void* now_;
  Scratch group_memory_;
  Scratch spare_memory_;
  void* group_ = nullptr;
  void* spare_ = nullptr;
};

}  // namespace

int scan_linear(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const Range message{0, r.count};
  Partial partial(r, context);
  COLLTREE_TRY(partial.open(r.result));
  if (r.rank > 0) COLLTREE_TRY(partial.take(r.rank - 1, message));
  if (exists(r, 1)) COLLTREE_TRY(partial.give(r.rank + 1, message));
  return partial.settle(message);
}

int exscan_linear(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  Exclusive scan(r, context);
  COLLTREE_TRY(scan.open());
  if (r.rank > 0) COLLTREE_TRY(scan.take(r.rank - 1));
  return exists(r, 1) ? scan.give(r.rank + 1) : MPI_SUCCESS;
}

namespace {

int scan_by_doubling(const CollectiveCall& call, bool is_inclusive, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  Doubling doubling(r, context);
  COLLTREE_TRY(doubling.open());
  bool any = is_inclusive;  // the result holds something
  if (is_inclusive && !r.in_place())
    COLLTREE_TRY(copy(r.own, r.result, r.count, r.layout, context));
  for (int distance = 1; distance < r.size; distance *= 2) {
    const int peer = r.rank ^ distance;
    if (peer >= r.size) continue;
    COLLTREE_TRY(doubling.exchange(peer));
    if (peer < r.rank) {
      COLLTREE_TRY(any ? r.fold(doubling.received(), r.result, r.count)
                       : copy(doubling.received(), r.result, r.count, r.layout, context));
      any = true;
    }
    if (distance < r.size - distance) COLLTREE_TRY(doubling.fold(peer));  // it is exchanged again
  }
  return MPI_SUCCESS;
}

}  // namespace

int scan_recursive_doubling(const CollectiveCall& call, const Context& context) {
  return scan_by_doubling(call, true, context);
}

int exscan_recursive_doubling(const CollectiveCall& call, const Context& context) {
  return scan_by_doubling(call, false, context);
}

int scan_binomial(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const Range message{0, r.count};
  const int lowest = lowest_bit(r.rank);
  Partial partial(r, context);
  COLLTREE_TRY(partial.open(r.result));
  for (int distance = 1; distance < lowest; distance *= 2)
    COLLTREE_TRY(partial.take(r.rank - distance, message));
  if (exists(r, lowest)) COLLTREE_TRY(partial.give(r.rank + lowest, message));
  if (r.rank + 1 != lowest) COLLTREE_TRY(partial.take(r.rank - lowest, message));
  for (int distance = lowest / 2; distance > 0; distance /= 2) {
    if (exists(r, distance)) COLLTREE_TRY(partial.give(r.rank + distance, message));
  }
  return partial.settle(message);
}

int exscan_binomial(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const int lowest = lowest_bit(r.rank);
  Exclusive scan(r, context);
  COLLTREE_TRY(scan.open());
  for (int distance = 1; distance < lowest; distance *= 2)
    COLLTREE_TRY(scan.take(r.rank - distance));
  if (exists(r, lowest)) COLLTREE_TRY(scan.give(r.rank + lowest));
  if (r.rank + 1 != lowest) COLLTREE_TRY(scan.take(r.rank - lowest));
  bool given = r.rank + 1 == lowest && exists(r, lowest);
  for (int distance = lowest / 2; distance > 0; distance /= 2) {
    if (!exists(r, distance)) continue;
    COLLTREE_TRY(scan.give(r.rank + distance, given));
    given = true;
  }
  return MPI_SUCCESS;
}

}  // namespace colltree::algorithms
