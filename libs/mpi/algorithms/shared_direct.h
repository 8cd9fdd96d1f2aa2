// SPDX-License-Identifier: BSD-3-Clause
// The steps of shared_steps.h where ranks copy out of each other's own memory, once, in place of
// copying into slots and out again (as kernel-assisted copies in Goglin, Moreaud, KNEM: a generic
// and scalable kernel-assisted intra-node MPI communication framework, 2013). Slots hold addresses
// and flags. A rank that fails to copy says so before anything is overwritten that others may still
// need, and all ranks go by slots instead. If the arena is broken off meanwhile, a rank copies what
// nobody then takes for a result.
#pragma once

#include "algorithms/shared_steps.h"

namespace colltree::algorithms {

// One call, as in SharedSteps.
template <typename Arena>
class DirectSteps : SharedSteps<Arena> {
  using Steps = SharedSteps<Arena>;
  using typename Steps::Range;

 public:
  DirectSteps(Arena& arena, StepCount& count, int rank, int size)
      : Steps(arena, count, rank, size) {}

  // `segment`: bytes of the pieces if the message must be sent.
  SharedEnd bcast(int root, std::byte* data, std::size_t bytes, std::size_t segment) {
    stamp_ = Steps::stamp(5, bytes);
    bool is_sent = false;
    if (is_well() && (rank_ == root ? show(data, &is_sent) : pull(root, data, bytes))) {
      ++count_.next;
      if (rank_ == root) {
        say(is_sent);
      } else {
        Steps::await(root) && hear(root, &is_sent) && Steps::post();
      }
    }
    ++count_.next;
    return is_sent ? Steps::bcast(root, data, bytes, segment) : end_;
  }

  // Each rank adds up its slice of the contributions, and copies the sums of the other slices.
  // `root`: -1 where all ranks want the result. `at_root`: the root adds up all.
  template <typename Fold>
  SharedEnd reduce(int root, bool at_root, const SharedSum<Fold>& sum) {
    stamp_ = Steps::stamp(10, sum.count * sum.element);
    const auto share = [&](int rank) {
      if (!at_root) return Steps::slice(rank, sum.count, sum.element);
      return Range{0, rank == root ? sum.count : 0};
    };
    // Nobody's contribution is overwritten while it may have to go by slots.
    const bool is_beside = sum.result == nullptr || sum.result == sum.own;
    std::byte* const sums = is_beside ? sum.spare + sum.segment * sum.element
                                      : sum.result + share(rank_).first * sum.element;
    OwnMemory places[kMostSharedRanks];
    bool have_failed[kMostSharedRanks];
    if (!exchange({sum.own, sums}, places) ||
        !exchange(!add_up(sum, share(rank_), places), have_failed))
      return end_;
    if (std::find(have_failed, have_failed + size_, true) != have_failed + size_)
      return Steps::reduce_slices(sum);
    if (sum.result != nullptr && !take(sum, share, places)) {
      Steps::fail(SharedEnd::kFailed);
    } else if (Steps::enter(0) && Steps::post()) {
      // Nobody goes on while others copy out of its memory.
      if (root < 0) {
        Steps::await_all();
      } else if (rank_ != root) {
        Steps::await(root);
      }
    }
    return Steps::close();
  }

 private:
  using Steps::arena_;
  using Steps::count_;
  using Steps::end_;
  using Steps::is_well;
  using Steps::rank_;
  using Steps::size_;
  using Steps::stamp_;

  struct OwnMemory {  // addresses in a rank's process
    const std::byte* contribution;
    std::byte* sums;  // of its slice
  };

  // Writes a short value to this rank's slot of the step and posts the step.
  template <typename Value>
  bool say(const Value& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    return Steps::enter(sizeof value) && Steps::put(0, bytes, sizeof value, sizeof value) &&
           Steps::post();
  }
  // Reads what the rank, which has posted the step, has said.
  template <typename Value>
  bool hear(int rank, Value* value) {
    return Steps::get(Steps::slot(rank, count_.next, sizeof *value),
                      reinterpret_cast<std::byte*>(value), sizeof *value);
  }
  // Takes a step, in which each rank hears what every rank says.
  template <typename Value>
  bool exchange(const Value& value, Value* of_all) {
    if (!is_well() || !say(value) || !Steps::await_all()) return false;
    for (int i = 0; i < size_; ++i) hear(i, of_all + i);
    of_all[rank_] = value;
    ++count_.next;
    return true;
  }

  // The root says where its data are, and hears whether a rank failed to copy them.
  bool show(const std::byte* data, bool* is_sent) {
    if (!say(data) || !Steps::await_all()) return false;
    for (int i = 0; i < size_; ++i) {
      bool has_failed = false;
      if (i != rank_) hear(i, &has_failed);
      *is_sent = *is_sent || has_failed;
    }
    return true;
  }
  bool pull(int root, std::byte* data, std::size_t bytes) {
    const std::byte* address = nullptr;
    return Steps::await(root) && hear(root, &address) &&
           say(!arena_.pull(root, address, data, bytes));
  }

  // Adds x_0 + (x_1 + ...) in the order of ranks, segment by segment. Returns false if a
  // contribution cannot be copied.
  template <typename Fold>
  bool add_up(const SharedSum<Fold>& sum, Range its, const OwnMemory* places) {
    const int last = size_ - 1;
    for (std::size_t done = 0; done < its.count; done += sum.segment) {
      const std::size_t count = std::min(sum.segment, its.count - done);
      const std::size_t bytes = count * sum.element;
      const std::size_t first = (its.first + done) * sum.element;
      std::byte* const to = places[rank_].sums + done * sum.element;
      const std::byte* const mine = sum.own + first;
      if (rank_ == last) {
        Steps::copy(of_this_rank(mine), of_this_rank(to), bytes);
      } else if (!arena_.pull(last, places[last].contribution + first, to, bytes)) {
        return false;
      }
      for (int i = last - 1; i >= 0; --i) {
        if (i != rank_ && !arena_.pull(i, places[i].contribution + first, sum.spare, bytes))
          return false;
        if (!Steps::fold(sum, of_this_rank(i == rank_ ? mine : sum.spare), of_this_rank(to), count))
          return false;
      }
    }
    return true;
  }
  template <typename Fold, typename Share>
  bool take(const SharedSum<Fold>& sum, Share share, const OwnMemory* places) {
    for (int i = 0; i < size_; ++i) {
      const Range its = share(i);
      std::byte* const to = sum.result + its.first * sum.element;
      const std::size_t bytes = its.count * sum.element;
      if (i == rank_) {
        Steps::copy(of_this_rank(places[i].sums), of_this_rank(to), bytes);
      } else if (!arena_.pull(i, places[i].sums, to, bytes)) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace colltree::algorithms
