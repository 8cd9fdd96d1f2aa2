// SPDX-License-Identifier: BSD-3-Clause
// C4.5 trees of many weights and confidence levels: their sizes and errors, not the trees.
#pragma once

#include <span>
#include <vector>

#include "model/kinds/c45_table.h"
#include "model/statistics.h"

namespace colltree {

struct C45SweepPoint {
  int weight = 0;
  float confidence_level = 0;
  Pruning trees;
};

// Every weight with every confidence level: the tree is grown once per weight and pruned once per
// confidence level. Trees of the same figures are in tables 2 and 4. Weights are shared out over
// the machine's cores; the points are by weight, then by confidence level.
std::vector<C45SweepPoint> c45_sweep(const C45Table& table, std::span<const int> weights,
                                     std::span<const float> confidence_levels);

}  // namespace colltree
