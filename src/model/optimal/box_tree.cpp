// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/box_tree.h"

#include <algorithm>

namespace colltree::optimal {

std::size_t leaves_of(const BoxTree& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(tree, &BoxNode::is_leaf));
}

std::vector<double> cell_costs(const BoxTree& tree, const BoxSpace& space, const CostCube& cube) {
  std::vector<double> costs(cube.cells);
  for (const BoxNode& node : tree) {
    if (!node.is_leaf()) continue;
    for (const std::size_t cell : space.cells_of(node.box)) {
      costs[cell] = cube.at(cell, node.method);
    }
  }
  return costs;
}

double total(const std::vector<double>& cell_costs, Combine how) {
  double total = 0;
  for (const double cost : cell_costs) total = combine(how, total, cost);
  return total;
}

}  // namespace colltree::optimal
