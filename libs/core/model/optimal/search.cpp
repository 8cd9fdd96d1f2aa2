// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/optimal/frontier_table.h"
#include "model/optimal/relaxation.h"

namespace colltree::optimal {

namespace {

// Cells that do not count cost nothing, but a method that cannot run there stays forbidden.
CostCube without_weightless(const MeasuredGrid& grid, std::vector<double> values) {
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (grid.weight[cell] > 0) continue;
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      double& value = values[grid.value_index(cell, m)];
      if (value != kNotAllowed) value = 0;
    }
  }
  return {grid.cells(), grid.methods.size(), std::move(values)};
}

// The costs of each cell and method for an objective that is a sum.
std::vector<double> summed_costs(const MeasuredGrid& grid, const Objective& objective) {
  switch (objective.kind) {
    case Objective::Kind::kTime:
      return weighted(grid, times_us(grid));
    case Objective::Kind::kExpected:
      return weighted(grid, grid.expected_cost);
    default:
      return weighted(grid, penalties(grid));
  }
}

Solution search_objective(const MeasuredGrid& grid, const BoxSpace& space,
                          const SearchOptions& options) {
  const Objective::Kind kind = options.objective.kind;
  if (kind != Objective::Kind::kMax && kind != Objective::Kind::kQuantile) {
    const ScaledCosts costs =
        scale_costs(grid.methods.size(), summed_costs(grid, options.objective));
    return search_sum(costs, space, options, grid.total_weight());
  }
  const std::vector<double> penalty = penalties(grid);
  const std::vector<double> mean = weighted(grid, penalty);
  const CostCube cube = without_weightless(grid, penalty);
  if (kind == Objective::Kind::kMax) return search_max(cube, mean, space, options);
  return search_quantile(cube, grid.weight, mean, space, options);
}

[[noreturn]] void refuse_all() {
  throw Error("no tree on these tests can avoid every method that cannot run; allow more tests");
}

[[noreturn]] void refuse_leaves(const MeasuredGrid& grid, const BoxSpace& space,
                                const SearchOptions& options) {
  const bool is_expected = options.objective.kind == Objective::Kind::kExpected;
  const CostCube cube =
      without_weightless(grid, is_expected ? grid.expected_cost : penalties(grid));
  const std::size_t fewest = fewest_leaves(cube, space, options.limits);
  if (fewest == 0) refuse_all();
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

Solution exact_solution(const FrontierTable& table, double unit, std::size_t cells) {
  Solution solution{.tolerance = unit * static_cast<double>(cells)};
  for (std::size_t k = 1; k <= table.root().size(); ++k) {
    const double value = table.root()[k - 1] * unit;
    solution.value.push_back(value);
    solution.lower_bound.push_back(value);
    solution.trees.push_back(value == kNotAllowed ? CellTree() : table.tree(k));
  }
  return solution;
}

// Finds the trees on the lower convex hull (leaves, cost), one price at a time; each price is a
// bound for every number of leaves.
class Hull {
 public:
  Hull(const CostCube& cube, const BoxSpace& space, const SearchOptions& options)
      : cube_(cube),
        space_(space),
        options_(options),
        bound_(options.leaves, total(least_costs(cube).cost, Combine::kSum)),
        best_(options.leaves, kNotAllowed),
        trees_(options.leaves) {}

  Solution run(double unit) {
    if (const CellTree leaf = single_leaf(cube_, space_, Combine::kSum); !leaf.empty()) add(leaf);
    if (!options_.limits.expired()) explore();
    Solution solution{.tolerance = unit * static_cast<double>(cube_.cells)};
    for (std::size_t k = 0; k < best_.size(); ++k) {
      solution.value.push_back(best_[k] * unit);
      solution.lower_bound.push_back(std::min(bound_[k], best_[k]) * unit);
    }
    solution.trees = std::move(trees_);
    return solution;
  }

 private:
  struct Point {
    std::size_t leaves = 0;
    double cost = 0;
  };

  Point add(const CellTree& tree) {
    const Point point{leaves_of(tree), total(cell_costs(tree, space_, cube_), Combine::kSum)};
    for (std::size_t k = point.leaves; k <= best_.size(); ++k) {
      if (point.cost >= best_[k - 1]) continue;
      best_[k - 1] = point.cost;
      trees_[k - 1] = tree;
    }
    return point;
  }

  // Nothing: no tree can run everywhere.
  std::optional<Point> solve(Relaxation& relaxation, double price) {
    const double value = relaxation.solve(price);
    if (value == kNotAllowed) return std::nullopt;
    for (std::size_t k = 0; k < bound_.size(); ++k) {
      bound_[k] = std::max(bound_[k], value - price * static_cast<double>(k + 1));
    }
    return add(relaxation.tree());
  }

  void explore() {
    Relaxation relaxation(cube_, space_, options_.limits);
    const auto few = solve(relaxation, 0x1p46);
    if (!few || options_.limits.expired()) return;
    const auto many = solve(relaxation, 1);
    std::vector<std::pair<Point, Point>> open = {{*few, *many}};
    while (!open.empty() && !options_.limits.expired()) {
      const auto [a, b] = next(open);
      if (a.leaves >= std::min(b.leaves, best_.size())) continue;
      const double price = std::floor((a.cost - b.cost) / static_cast<double>(b.leaves - a.leaves));
      if (price < 1) continue;
      const Point middle = *solve(relaxation, price);
      const auto priced = [&](const Point& point) {
        return point.cost + price * static_cast<double>(point.leaves);
      };
      if (priced(middle) >= std::min(priced(a), priced(b))) continue;
      open.emplace_back(a, middle);
      open.emplace_back(middle, b);
    }
  }

  // The interval that holds the wanted number of leaves first.
  std::pair<Point, Point> next(std::vector<std::pair<Point, Point>>& open) const {
    const auto wanted = std::ranges::find_if(open, [&](const auto& interval) {
      return interval.first.leaves <= options_.leaves && options_.leaves <= interval.second.leaves;
    });
    const auto chosen = wanted == open.end() ? open.begin() : wanted;
    const auto found = *chosen;
    open.erase(chosen);
    return found;
  }

  const CostCube& cube_;
  const BoxSpace& space_;
  const SearchOptions& options_;
  std::vector<double> bound_;
  std::vector<double> best_;
  std::vector<CellTree> trees_;
};

// The exact search gets most of the time; the rest is enough for some prices.
SearchLimits share_of(const SearchLimits& limits, double share) {
  SearchLimits part = limits;
  const auto now = SearchLimits::Clock::now();
  if (limits.deadline && *limits.deadline > now) {
    part.deadline = now + std::chrono::duration_cast<SearchLimits::Clock::duration>(
                              (*limits.deadline - now) * share);
  }
  return part;
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
  return solution;
}

Solution search_priced(const MeasuredGrid& grid, const BoxSpace& space,
                       const SearchOptions& options, double price_of_leaf) {
  const ScaledCosts costs = scale_costs(grid.methods.size(), summed_costs(grid, options.objective));
  const double unit = costs.unit / grid.total_weight();
  Relaxation relaxation(costs.cube, space, options.limits);
  const double price = std::max(1.0, std::round(price_of_leaf / unit));
  const double value = relaxation.solve(price);
  if (value == kNotAllowed) refuse_all();
  const CellTree tree = relaxation.tree();
  const std::size_t leaves = leaves_of(tree);
  Solution solution{.tolerance = unit * static_cast<double>(costs.cube.cells)};
  solution.value.assign(leaves, kNotAllowed);
  solution.value.back() = (value - price * static_cast<double>(leaves)) * unit;
  solution.lower_bound = solution.value;
  solution.trees.resize(leaves);
  solution.trees.back() = tree;
  return solution;
}

Solution search_sum(const ScaledCosts& costs, const BoxSpace& space, const SearchOptions& options,
                    double divisor) {
  const double unit = costs.unit / divisor;
  {
    FrontierTable table(costs.cube, space, Combine::kSum, options.leaves);
    if (table.fill(share_of(options.limits, 0.7))) {
      return exact_solution(table, unit, costs.cube.cells);
    }
  }
  return Hull(costs.cube, space, options).run(unit);
}

}  // namespace colltree::optimal
