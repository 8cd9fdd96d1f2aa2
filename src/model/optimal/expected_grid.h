// SPDX-License-Identifier: BSD-3-Clause
// What a tree is fitted to that must be good at sizes that nobody measured (objective "expected"):
// the measured grid with sizes between the measured ones and just beyond them, and what each method
// is expected to cost at each of them.
#pragma once

#include <span>
#include <vector>

#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

// The timings without the methods that nothing tells from the library's own choice: by their noise
// they would be chosen here and there (surrogate/equals.h). `left_out`: they are added.
struct LeftOut {
  Collective collective;
  Method method;
};
std::vector<Timings> told_apart(std::span<const Timings> timings, std::vector<LeftOut>& left_out);

// Times are the expected ones. The weight of a size is how much of its axis, in octaves, it stands
// for; the sum of all weights is 1. The expected cost is the expected logarithm of time over the
// best method's, and `caution` times the expected harm, by how much the method is slower than the
// library's own choice (where that is a candidate); kNotAllowed where a method could not run when
// it was measured.
//
// One table for each collective. Between two neighbours there are up to three communicator sizes
// and one message size more; grids of many points have none between close neighbours and none
// beyond the ends, grids with placements none for communicator sizes. Cost: surrogate/belief.h.
MeasuredGrid make_expected_grid(std::span<const Timings> timings, double caution);

}  // namespace colltree::optimal
