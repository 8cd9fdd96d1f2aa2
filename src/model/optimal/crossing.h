// SPDX-License-Identifier: BSD-3-Clause
// Where between two measured sizes a test should divide: any integer in between gives the same
// decisions on the measured points, but not on the sizes that programs use.
#pragma once

#include <cstdint>

#include "model/optimal/box_tree.h"
#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

// The threshold of one test. Between the last measured size a of the low side and the first b of
// the high side every method's time is interpolated linearly in log-log space; at each point along
// the border the low side's method meets the high side's; the threshold is the last integer where
// the low side's are not slower, by the weighted mean of log(low / high). It is at least a and
// below b. In a proven grid, where one side's method may not stand on the other side,
// nothing is proven in between: all of it gets the method that may stand on both. Where the times
// say nothing (same method on both sides, holes) it is the middle in log space, as for the other
// trees.
std::uint64_t threshold_at_crossing(const MeasuredGrid& grid, const BoxSpace& space,
                                    const std::vector<std::size_t>& chosen, const BoxNode& node);

// By cell the method that the tree gives it.
std::vector<std::size_t> chosen_methods(const BoxTree& tree, const BoxSpace& space);

}  // namespace colltree::optimal
