// SPDX-License-Identifier: BSD-3-Clause
// What even the exact map loses because times vary: the best method by one set of timings, judged
// by another of the same instances. Below this no model's figure means anything. One direction is
// not the other: what a quiet session chose may lose much in a busy one, and not the reverse.
#pragma once

#include "timings/penalty.h"

namespace colltree {

struct NoiseFloor {
  PenaltyPoints points;            // instances that both have
  std::size_t same_best = 0;       // of these: where both name the same method
  std::size_t judged = 0;          // comparisons, those that cannot run included
  std::size_t common_methods = 0;  // what was chosen from; several pairs: of the pair with fewest
  std::size_t other_methods = 0;   // that only one of the two has: left out of both

  void add(const NoiseFloor& other);  // another pair of sets
  double share_same() const;          // 0 when nothing was judged
};

// Methods of `from` chosen, times of `to`, among the methods that both have.
NoiseFloor transferred(const Timings& from, const Timings& to);

}  // namespace colltree
