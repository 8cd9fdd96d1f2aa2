// SPDX-License-Identifier: BSD-3-Clause
// The grid for trees that must be good at sizes that nobody measured (objective "expected"): the
// measured grid with sizes between the measured ones and just beyond them, and the expected cost of
// each method at each of them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

// Returns the timings without the methods that nothing tells from the library's own choice, because
// noise alone would choose them here and there (surrogate/equals.h). They are added to `left_out`.
std::vector<Timings> told_apart(std::span<const Timings> timings,
                                std::vector<std::pair<Collective, Method>>& left_out);

// Times are expected times. The share of a size is how much of its axis, in octaves, it stands for.
// Its weight is a part of that share; the measured sizes have the rest of the weight in equal
// parts. The sums of both are 1. The expected cost is the expected logarithm of the time over that
// of the best method, plus `caution` times the expected excess over the library's own choice (if
// that is a candidate).
//
// No tree may choose a method (it is kNotAllowed) where it could not run when it was measured, nor
// where it was measured to be slower than the library's own choice: by more than 2 % and by more
// than the noise of both, 5 % for a time that has no interval.
//
// `timings` holds one table for each collective. Up to three communicator sizes and one message
// size are added between two neighbours. Grids with many points get none between close neighbours
// and none beyond the ends, grids with placements no communicator sizes. Cost: surrogate/belief.h.
MeasuredGrid make_expected_grid(std::span<const Timings> timings, double caution);

}  // namespace colltree::optimal
