// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/search.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "model/optimal/neighbourhood.h"
#include "model/optimal/relaxation.h"
#include "model/optimal/search_parts.h"

namespace colltree::optimal {

namespace {

// Cells that do not count cost nothing, but a method that cannot run there stays forbidden.
CostCube without_weightless(const MeasuredGrid& grid, std::vector<double> values) {
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (grid.weight[cell] > 0) continue;
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      double& value = values[grid.at(cell, m)];
      if (value != kNotAllowed) value = 0;
    }
  }
  return {grid.cells(), grid.methods.size(), std::move(values)};
}

// By cell and method, of an objective that is a sum.
std::vector<double> summed_costs(const MeasuredGrid& grid, const SearchOptions& options,
                                 bool tied) {
  switch (options.objective.kind) {
    case Objective::Kind::kTime:
      return weighted(grid, times_us(grid, tied));
    case Objective::Kind::kBetween:
      return weighted(grid, penalties_between(grid, tied));
    default:
      return weighted(grid, penalties(grid, tied));
  }
}

Solution search_objective(const MeasuredGrid& grid, const BoxSpace& space,
                          const SearchOptions& options) {
  const bool tied = options.noise_aware;
  const Objective::Kind kind = options.objective.kind;
  if (kind != Objective::Kind::kMax && kind != Objective::Kind::kQuantile) {
    const ScaledCosts costs = scale_costs(grid.methods.size(), summed_costs(grid, options, tied));
    return search_sum(costs, space, options, grid.total_weight());
  }
  const std::vector<double> penalty = penalties(grid, tied);
  const std::vector<double> mean = weighted(grid, penalty);
  const CostCube cube = without_weightless(grid, penalty);
  if (kind == Objective::Kind::kMax) return search_max(cube, mean, space, options);
  return search_quantile(cube, grid.weight, mean, space, options);
}

double sum_over(const BoxSpace& space, std::size_t box, const std::vector<double>& costs,
                std::size_t methods, std::size_t method) {
  double sum = 0;
  for (const std::size_t cell : space.cells_of(box)) sum += costs[cell * methods + method];
  return sum;
}

// Ties count as nothing, so several methods may be equally good for a leaf: the measured times
// decide between them.
void settle_ties(const MeasuredGrid& grid, const BoxSpace& space, const SearchOptions& options,
                 Solution& solution) {
  const std::size_t methods = grid.methods.size();
  const std::vector<double> counted = summed_costs(grid, options, true);
  const std::vector<double> measured = summed_costs(grid, options, false);
  for (BoxTree& tree : solution.trees) {
    for (BoxNode& node : tree) {
      if (!node.is_leaf()) continue;
      const double cost = sum_over(space, node.box, counted, methods, node.method);
      double least = sum_over(space, node.box, measured, methods, node.method);
      for (std::size_t m = 0; m < methods; ++m) {
        if (sum_over(space, node.box, counted, methods, m) != cost) continue;
        const double sum = sum_over(space, node.box, measured, methods, m);
        if (sum < least) {
          least = sum;
          node.method = m;
        }
      }
    }
  }
}

[[noreturn]] void refuse_leaves(const MeasuredGrid& grid, const BoxSpace& space,
                                const SearchOptions& options) {
  const CostCube cube = without_weightless(grid, penalties(grid, options.noise_aware));
  const std::size_t fewest = fewest_leaves(cube, space, options.limits);
  if (fewest == 0) {
    throw Error("no tree on these tests can avoid every method that cannot run; allow more tests");
  }
  if (fewest <= options.leaves) {
    throw Error(fmt::format(
        "the limits stopped the search before it found any tree of {} leaves; raise --time-limit "
        "or --memory-limit",
        options.leaves));
  }
  throw Error(fmt::format(
      "no tree of {} leaves keeps clear of methods that cannot run; at least {} are needed",
      options.leaves, fewest));
}

}  // namespace

bool Solution::is_exact(std::size_t leaves) const {
  return value[index(leaves)] <= lower_bound[index(leaves)] + tolerance;
}

std::size_t fewest_leaves(const CostCube& cube, const BoxSpace& space, const SearchLimits& limits) {
  CostCube free = cube;
  for (double& cost : free.cost) {
    if (cost != kNotAllowed) cost = 0;
  }
  const double leaves = Relaxation(free, space, limits).solve(1);
  return leaves == kNotAllowed ? 0 : static_cast<std::size_t>(leaves);
}

Solution search(const MeasuredGrid& grid, const BoxSpace& space, const SearchOptions& options) {
  Solution solution = search_objective(grid, space, options);
  if (solution.value[solution.index(options.leaves)] == kNotAllowed) {
    refuse_leaves(grid, space, options);
  }
  if (options.noise_aware) settle_ties(grid, space, options, solution);
  return solution;
}

}  // namespace colltree::optimal
