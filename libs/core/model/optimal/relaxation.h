// SPDX-License-Identifier: BSD-3-Clause
// The same search with a price per leaf instead of a budget: it needs one number per box, not a
// frontier, and so takes a thousandth of the time. Its trees are optimal for their own number of
// leaves, and  value(price) - price x leaves  is below the cost of every tree with as many leaves:
// the bound that is left when the exact search is stopped (Lagrangian relaxation).
#pragma once

#include <vector>

#include "model/optimal/cost_cube.h"

namespace colltree::optimal {

class Relaxation {
 public:
  // The cube and the space must outlive it. Memory: 16 bytes x boxes; Error if that is above the
  // limit.
  Relaxation(const CostCube& cube, const BoxSpace& space, const SearchLimits& limits);

  // The least cost + price x leaves; costs and price are integers. kNotAllowed: no tree can do.
  double solve(double price);
  // The tree of that value, from the last call of solve.
  CellTree tree() const;

 private:
  void add_row_splits(std::uint32_t part);
  void add_inner_splits(std::size_t box);
  bool divide_leaf(CellTree& tree, std::size_t leaf) const;

  const CostCube& cube_;
  const BoxSpace& space_;
  double price_ = 0;
  std::vector<double> leaf_;   // by box: the best leaf's cost
  std::vector<double> value_;  // by box
};

}  // namespace colltree::optimal
