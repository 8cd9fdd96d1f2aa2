// SPDX-License-Identifier: BSD-3-Clause
// Cliffs: neighbouring measured instances where the decision changes and the time changes more than
// it does beside them. Open MPI 4.1 had one of a factor of ten at 128 ranks.
#pragma once

#include <vector>

#include "timings/penalty.h"

namespace colltree {

struct Jump {
  Instance from;  // the smaller of the two sizes
  Instance to;    // the next measured size on the same line of the grid
  Method before;
  Method after;
  double before_us = 0;
  double after_us = 0;
  double penalty_before = 0;  // what the choices lose there, fractions: 0 at both ends means that
  double penalty_after = 0;   // no choice avoids the jump
  double expected_us = 0;     // the time at `to` by the trend of the neighbours
  double factor = 0;          // after / expected, or its inverse when the time falls: 1 and above
  bool predicted = false;     // a time of the two was not measured
};

// Lines run along communicator sizes and along message sizes. Trend: the slope of log time against
// log size over the steps before and after on the line in which the decision does not change (their
// mean); where there is none, that of the best time over the same step. Jumps by more than
// `least_factor`, the greatest first. Instances where the choice cannot run are skipped.
// Throws Error when a point was measured with several placements.
std::vector<Jump> find_jumps(const Timings& timings, const Chooser& choose, double least_factor);

}  // namespace colltree
