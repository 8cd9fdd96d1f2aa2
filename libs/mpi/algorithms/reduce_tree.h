// SPDX-License-Identifier: BSD-3-Clause
// Reductions up a tree to one rank: r.root, whose r.result takes it.
#pragma once

#include "algorithms/reduction.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

// In rank order where the operation asks for it, else the tree stands on the root.
int reduce_along(TreeShape* shape, const Reduction& r, const Context& context);
// Up a tree in the call's ranks, whose root is r.root; for operations that commute.
int reduce_up(const Tree& tree, const Reduction& r, const Context& context);
// Always in rank order: the tree stands on the highest rank.
int reduce_in_order(TreeShape* shape, const Reduction& r, const Context& context);

// One rank's part of it: each segment is received from all children, folded and sent to the parent.
// The next message is received while this one is folded.
class TreeFold {
 public:
  // `result` takes the whole message at the tree's root and is null elsewhere. This many sends to
  // the parent may be under way while the next segment is folded; 0: none. All arguments are kept.
  TreeFold(const Tree& tree, const Reduction& reduction, void* result, const Context& context,
           int in_flight = 0)
      : tree_(tree),
        r_(reduction),
        result_(result),
        context_(context),
        segments_(reduction.count, elements_per_segment(context, reduction.layout)),
        own_into_first_(reduction.commutative && reduction.own != result),
        in_flight_(in_flight) {}

  int run();

  // The steps of run() for a tree of several ranks; other work may be done between them.
  std::size_t steps() const { return segments_.count(); }
  int open();
  int step(std::size_t i);
  int close() { return overlap() ? sends_.wait_all() : MPI_SUCCESS; }

 private:
  bool overlap() const { return in_flight_ > 0; }
  // Buffers of a segment: 0 and 1 in turn for messages, the others in turn for what goes to the
  // parent: the next segment's may be under way while this one is sent and others still are.
  std::size_t accumulators() const { return static_cast<std::size_t>(in_flight_) + 2; }

  std::size_t parity(std::size_t i, int child) const;
  void* buffer(std::size_t which) const;
  const void* own(std::size_t i) const;
  void* accumulator(std::size_t i) const;
  void* target(std::size_t i, int child) const;

  int post(std::size_t i, int child);
  int fold(std::size_t i, int child);
  int send_up(const void* data, std::size_t i);
  int take_own();

  const Tree& tree_;
  const Reduction& r_;
  void* result_;
  const Context& context_;
  Segments segments_;
  bool own_into_first_;
  int in_flight_;
  Scratch buffers_;
  Receive incoming_[2];  // after the memory they write to: destroyed before it
  Window sends_;
};

}  // namespace colltree::algorithms
