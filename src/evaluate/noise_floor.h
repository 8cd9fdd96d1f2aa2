// SPDX-License-Identifier: BSD-3-Clause
// What even the exact map loses because times vary: the best method by one set of timings, judged
// by another of the same instances. Below this no model's figure means anything.
#pragma once

#include "evaluate/penalty.h"

namespace colltree {

struct NoiseFloor {
  PenaltyPoints points;       // instances that both have
  std::size_t same_best = 0;  // of these: where both name the same method
  std::size_t judged = 0;     // comparisons, those that cannot run included

  void add(const NoiseFloor& other);
  double share_same() const;  // 0 when nothing was judged
};

// Methods of `from` chosen, times of `to`.
NoiseFloor transferred(const Timings& from, const Timings& to);
// In both directions.
NoiseFloor between(const Timings& one, const Timings& other);

}  // namespace colltree
