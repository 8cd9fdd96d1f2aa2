// SPDX-License-Identifier: BSD-3-Clause
// The parts that the broadcasts along a tree share.
#pragma once

#include <climits>

#include "algorithms/transfer.h"
#include "algorithms/trees.h"

namespace colltree::algorithms {

// A rank's sends to its children: in turn, or several in flight.
class Sends {
 public:
  // `most`: messages there are to send, where that is known to be few.
  explicit Sends(const Context& context, int most = INT_MAX)
      : context_(context), in_flight_(std::min(context.requests, most)) {}

  int open() { return overlap() ? window_.allocate(in_flight_) : MPI_SUCCESS; }
  int segment(const void* data, int count, MPI_Datatype type, int to, std::size_t index) {
    return overlap() ? window_.post_segment(data, count, type, to, index, context_)
                     : send_segment(data, count, type, to, index, context_);
  }
  int close() { return overlap() ? window_.wait_all() : MPI_SUCCESS; }

 private:
  bool overlap() const { return in_flight_ > 1; }

  const Context& context_;
  int in_flight_;
  Window window_;
};

// One rank's part of a broadcast of segments down a tree, in steps, between which others may be
// taken. The receives of the `ahead` next segments are posted before one is forwarded. All
// arguments but that and the segments are kept.
class Relay {
 public:
  static constexpr std::size_t kMostAhead = 39;

  Relay(const Tree& tree, void* data, const Segments& segments, const TypeLayout& layout,
        const Context& context, std::size_t ahead = 1)
      : tree_(tree),
        data_(data),
        segments_(segments),
        layout_(layout),
        context_(context),
        ahead_(ahead),
        sends_(context) {}

  std::size_t steps() const { return segments_.count(); }
  int open();
  // If a segment has another length than a rank expects, which is an error of the program and comes
  // into `received`, the ranks behind that one get empty ones, so that they do not wait and see it
  // as well.
  int step(std::size_t i, int* received);
  int close() { return sends_.close(); }

 private:
  int post(std::size_t i);
  Receive& incoming(std::size_t i) { return incoming_[i % (ahead_ + 1)]; }

  const Tree& tree_;
  void* data_;
  Segments segments_;
  const TypeLayout& layout_;
  const Context& context_;
  std::size_t ahead_;
  Receive incoming_[kMostAhead + 1];
  Sends sends_;
};

// Passes bytes down the tree, segment by segment: receives from the parent, if there is any, and
// sends to each child, the last child first. The next segment's receive is posted before this one
// is forwarded, so that segments follow each other down the tree. Context::requests sends of a rank
// may be in flight; 0 stands for 1.
int relay(const Tree& tree, std::byte* data, std::size_t bytes, const Context& context);

// The whole broadcast along a tree in the call's ranks.
int bcast_along(const Tree& tree, const CollectiveCall& call, const Context& context);

}  // namespace colltree::algorithms
