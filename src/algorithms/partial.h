// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a reduction that is done by exchanges: first its own contribution, then what it
// and others contributed together.
#pragma once

#include "algorithms/offsets.h"
#include "algorithms/reduction.h"

namespace colltree {

// Ranks are folded in rank order where the operation asks for it: the peer must then stand for a
// range of ranks that lies beside this rank's. Only the ranges that were kept hold a result.
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

}  // namespace colltree
