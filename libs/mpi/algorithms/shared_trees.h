// SPDX-License-Identifier: BSD-3-Clause
// The steps of shared_steps.h along a tree (trees.h), for nodes where a rank should not look at
// every flag, or with caches that lie apart. A rank waits only for its neighbours in the
// tree, and a leader reads for its domain what comes from another domain (as in Jain and
// others, 2018; Ramos, Hoefler, Modeling communication in cache-coherent SMP systems, 2013).
//
// In place of rule (3): in a step that goes up only the parent reads a rank's slot, in one that
// goes down only its children. A slot and its flag are used again kLongSlots or kSlots steps later.
// If the former step is of the same call, it went in the same direction, because these are even
// numbers, and the rank waits until its readers have posted it. If it is of an earlier call, it
// waits until all ranks have begun this call, or knows it as in rule (3): a rank without children
// that hears its parent, and the root that has heard all.
#pragma once

#include "algorithms/shared_steps.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

// One call; all ranks pass their own place in the same tree, whose root is that of the call.
// Operations must commute.
template <typename Arena>
class TreeSteps : SharedSteps<Arena> {
  using Steps = SharedSteps<Arena>;

 public:
  TreeSteps(Arena& arena, StepCount& count, int rank, int size, const Tree& tree)
      : Steps(arena, count, rank, size), tree_(tree), first_(count.next) {}

  SharedEnd barrier() {
    stamp_ = Steps::stamp(6, 0);
    if (is_well() && hear_children() && enter(0, nullptr, 0) && Steps::post()) {
      next();
      down(nullptr, 0);
    }
    return Steps::close();
  }

  // Both send pieces of `segment` bytes or elements.
  SharedEnd bcast(std::byte* data, std::size_t bytes, std::size_t segment) {
    stamp_ = Steps::stamp(7, bytes);
    for (std::size_t done = 0; done < bytes && is_well(); done += segment) {
      down(data + done, std::min(segment, bytes - done));
      next();
    }
    return end_;
  }

  // `is_wanted`: on all ranks, not at the root alone.
  template <typename Fold>
  SharedEnd reduce(const SharedSum<Fold>& sum, bool is_wanted) {
    stamp_ = Steps::stamp(is_wanted ? 8 : 9, sum.count * sum.element);
    for (std::size_t done = 0; done < sum.count && is_well(); done += sum.segment) {
      const std::size_t count = std::min(sum.segment, sum.count - done);
      if (up(sum, done * sum.element, count) && is_wanted) {
        next();
        down(sum.result + done * sum.element, count * sum.element);
      }
      next();
    }
    return end_;
  }

 private:
  using Steps::arena_;
  using Steps::count_;
  using Steps::end_;
  using Steps::is_well;
  using Steps::rank_;
  using Steps::stamp_;

  void next() { ++count_.next; }
  bool is_root() const { return tree_.parent == kNoRank; }
  Contribution slot(int rank, std::size_t bytes) const {
    return Steps::slot(rank, count_.next, bytes);
  }

  bool hear(int rank) {
    return Steps::wait_for(rank, count_.next) &&
           (arena_.agrees(rank, count_.next, stamp_) || Steps::fail(SharedEnd::kMismatch));
  }
  bool hear_children() {
    for (int i = 0; i < tree_.child_count; ++i) {
      if (!hear(tree_.children[i])) return false;
    }
    return true;
  }

  // Before a slot is written and the step is posted: the rule above.
  bool enter(std::size_t bytes, const int* readers, int reader_count) {
    const std::uint64_t slots = bytes <= Arena::kShortBytes ? arena_.slots() : Arena::kLongSlots;
    if (count_.next < slots) return true;
    const std::uint64_t former = count_.next - slots;
    if (former < first_) {
      const std::uint64_t begun = std::min(former + 2, first_);
      return count_.all_posted >= begun || Steps::await_all(begun);
    }
    for (int i = 0; i < reader_count; ++i) {
      if (!Steps::wait_for(readers[i], former)) return false;
    }
    return true;
  }

  bool down(std::byte* data, std::size_t length) {
    if (!is_root() && !(hear(tree_.parent) && Steps::get(slot(tree_.parent, length), data, length)))
      return false;
    if (tree_.child_count == 0) return Steps::post();
    return enter(length, tree_.children.data(), tree_.child_count) &&
           Steps::put(0, data, length, length) && Steps::post();
  }

  // The children's sums are added to the own contribution, one after the other.
  template <typename Fold>
  bool up(const SharedSum<Fold>& sum, std::size_t first, std::size_t count) {
    const std::size_t bytes = count * sum.element;
    if (!is_root() && !enter(bytes, &tree_.parent, 1)) return false;
    const Contribution to = is_root() ? of_this_rank(sum.result + first) : slot(rank_, bytes);
    Steps::copy(of_this_rank(sum.own + first), to, bytes);
    for (int i = 0; i < tree_.child_count; ++i) {
      if (!hear(tree_.children[i]) || !Steps::fold(sum, slot(tree_.children[i], bytes), to, count))
        return false;
    }
    return Steps::post();
  }

  const Tree& tree_;
  const std::uint64_t first_;  // step of the call
};

}  // namespace colltree::algorithms
