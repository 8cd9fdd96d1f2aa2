// SPDX-License-Identifier: BSD-3-Clause
// Timings -> the grid that quadtrees encode.
#pragma once

#include <string_view>
#include <vector>

#include "model/quadtree/label_grid.h"
#include "timings/timings.h"

namespace colltree {

// One collective: two axes. Several: the collective is the third axis. With `third` =
// "ranks_per_node" that is the third axis, of one collective. Throws UsageError or Error.
LabelGrid make_grid_of(const std::vector<Timings>& timings, std::string_view third);

}  // namespace colltree
