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

// Times are the expected ones. The share of a size is how much of its axis, in octaves, it stands
// for; its weight is that and, of a measured one, a part of what all measured ones have alike. The
// sums of both are 1. The expected cost is the expected logarithm of time over the best method's,
// and `caution` times the expected harm, by how much the method is slower than the library's own
// choice (where that is a candidate).
//
// Whatever is expected, a method is kNotAllowed where it could not run when it was measured, and
// where it was measured to be slower than the library's own choice: by more than 2 % and by more
// than the noise of both, 5 % where a time has no interval. So no tree chooses it there.
//
// One table for each collective. Between two neighbours there are up to three communicator sizes
// and one message size more; grids of many points have none between close neighbours and none
// beyond the ends, grids with placements none for communicator sizes. Cost: surrogate/belief.h.
MeasuredGrid make_expected_grid(std::span<const Timings> timings, double caution);

}  // namespace colltree::optimal
