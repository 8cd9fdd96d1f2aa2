// SPDX-License-Identifier: BSD-3-Clause
// The optimal trees of a measured grid for an objective. When a limit stops the exact search, the
// best trees that were found, and a value that no tree can be below.
//   mean, time, expected
//                the exact search (frontier_table.h) on weight x value; stopped: relaxation.h
//   max          the exact search with "greatest" for "sum"; stopped: bisection of the greatest
//                penalty, each step asking how few leaves stay below it
//   quantile     bisection of the quantile x; each step is an exact search for the least weight of
//                points above x, which must not be more than the quantile leaves out
// Among the trees of the same greatest penalty or quantile, one of least mean penalty is taken.
#pragma once

#include <vector>

#include "model/optimal/cost_cube.h"
#include "model/optimal/objective.h"

namespace colltree::optimal {

struct SearchOptions {
  Objective objective;
  std::size_t leaves = 10;  // the tree that is wanted
  SearchLimits limits;
};

// Entries are by leaves - 1; beyond the last entry more leaves gain nothing.
struct Solution {
  std::vector<double> value;        // of the best tree found; kNotAllowed: none found
  std::vector<double> lower_bound;  // no tree is below; kNotAllowed: no tree exists
  // mean, time: the tree of each value; max, quantile: of options.leaves only. Empty: none.
  std::vector<CellTree> trees;
  // Rounding: an exact value is at most this above the least there is. 0 for max and quantile.
  double tolerance = 0;

  bool is_exact(std::size_t leaves) const;
  std::size_t index(std::size_t leaves) const { return std::min(leaves, value.size()) - 1; }
};

// Throws Error when no tree with options.leaves leaves can run everywhere (the message names the
// fewest leaves that can), or when the limits do not even allow a bound.
Solution search(const MeasuredGrid& grid, const BoxSpace& space, const SearchOptions& options);

// The tree of least cost if every leaf has this price, in units of the objective, which is a sum.
// It takes one relaxation, and no other tree of as many leaves costs less. The solution ends with
// this tree; the costs of fewer leaves stay unknown. Throws Error: no tree can run everywhere.
Solution search_priced(const MeasuredGrid& grid, const BoxSpace& space,
                       const SearchOptions& options, double price_of_leaf);

// Fewest leaves of a tree that asks for no method where it cannot run; 0: there is none.
std::size_t fewest_leaves(const CostCube& cube, const BoxSpace& space, const SearchLimits& limits);

// The searches behind search(), one for each form of objective.

// The least sum over the cells, in units of `costs` divided by `divisor`.
Solution search_sum(const ScaledCosts& costs, const BoxSpace& space, const SearchOptions& options,
                    double divisor);
// `values` are penalties, 0 in cells without weight; `mean` holds the costs that decide between
// equals.
Solution search_max(const CostCube& values, const std::vector<double>& mean, const BoxSpace& space,
                    const SearchOptions& options);
Solution search_quantile(const CostCube& values, const std::vector<double>& weights,
                         const std::vector<double>& mean, const BoxSpace& space,
                         const SearchOptions& options);

// The value that `percent` of the weight does not exceed.
double quantile_of(const std::vector<double>& cell_values, const std::vector<double>& weights,
                   unsigned percent);

}  // namespace colltree::optimal
