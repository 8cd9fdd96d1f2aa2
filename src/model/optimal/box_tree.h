// SPDX-License-Identifier: BSD-3-Clause
// A tree over boxes of the grid: what the searches find, before sizes and methods have names.
#pragma once

#include <cstdint>
#include <vector>

#include "model/optimal/cost_cube.h"

namespace colltree::optimal {

struct BoxNode {
  static constexpr std::uint32_t kLeaf = 0xFFFFFFFF;

  std::size_t box = 0;
  // Inner node: this split of the box's part of this axis; children come after their parents.
  std::uint32_t axis = 0;
  Split split;
  std::uint32_t low = kLeaf;
  std::uint32_t high = kLeaf;
  std::size_t method = 0;  // of a leaf

  bool is_leaf() const { return low == kLeaf; }
};

using BoxTree = std::vector<BoxNode>;  // node 0 is the root

std::size_t leaves_of(const BoxTree& tree);
// Cell by cell the cost of the method that the tree gives it; kNotAllowed where it cannot run.
std::vector<double> cell_costs(const BoxTree& tree, const BoxSpace& space, const CostCube& cube);
double total(const std::vector<double>& cell_costs, Combine how);

}  // namespace colltree::optimal
