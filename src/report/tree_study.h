// SPDX-License-Identifier: BSD-3-Clause
// What limits cost a quadtree (2007, section 4): the penalty against the depth limit, against the
// accuracy threshold, and the two limits against each other. python/papers/quadtrees.py has more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/quadtree/grid_tree.h"
#include "timings/penalty.h"

namespace colltree::report {

struct StudyRow {
  std::string limit;  // "max_depth" or "accuracy_threshold"
  model::GridTreeOptions options;
  model::TreeShape shape;
  std::uint64_t tests = 0;  // two-way tests of the lowered tree: 12 bytes each in a .cdt
  PenaltySummary penalty;
};

// The penalty is over all instances of all timings: of several collectives, or of one with several
// numbers of ranks per node, when the grid has that third axis.
struct StudyInput {
  std::span<const Timings> timings;
  const model::LabelGrid& grid;
};

// One row for each depth limit from 0 until the tree is exact (tables 1 and 2). An octree goes
// deeper than its limit where collectives have no method in common.
std::vector<StudyRow> depth_study(const StudyInput& input, model::Reshape reshape);
// One row for each threshold of 5, 10, ... 100 % (figure 5).
std::vector<StudyRow> threshold_study(const StudyInput& input, model::Reshape reshape);
}  // namespace colltree::report
