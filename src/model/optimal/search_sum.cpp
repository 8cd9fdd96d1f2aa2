// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/optimal/frontier_table.h"
#include "model/optimal/relaxation.h"
#include "model/optimal/search_parts.h"

namespace colltree::optimal {

namespace {

Solution exact_solution(const FrontierTable& table, double unit, std::size_t cells) {
  Solution solution{.tolerance = unit * static_cast<double>(cells)};
  for (std::size_t k = 1; k <= table.root().size(); ++k) {
    const double value = table.root()[k - 1] * unit;
    solution.value.push_back(value);
    solution.lower_bound.push_back(value);
    solution.trees.push_back(value == kNotAllowed ? BoxTree() : table.tree(k));
  }
  return solution;
}

// Trees on the lower convex hull of (leaves, cost), found price by price; each price is a bound for
// every number of leaves.
class Hull {
 public:
  Hull(const CostCube& cube, const BoxSpace& space, const SearchOptions& options)
      : cube_(cube),
        space_(space),
        options_(options),
        bound_(options.frontier_leaves, total(least_costs(cube).cost, Combine::kSum)),
        best_(options.frontier_leaves, kNotAllowed),
        trees_(options.frontier_leaves) {}

  Solution run(double unit) {
    add_single_leaf();
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

  void add_single_leaf() {
    BoxTree tree = {{.box = space_.root()}};
    tree[0].method = best_leaf(cube_, space_, Combine::kSum, space_.root());
    if (tree[0].method < cube_.methods) add(tree);
  }

  Point add(const BoxTree& tree) {
    const Point point{leaves_of(tree), total(cell_costs(tree, space_, cube_), Combine::kSum)};
    for (std::size_t k = point.leaves; k <= best_.size(); ++k) {
      if (point.cost >= best_[k - 1]) continue;
      best_[k - 1] = point.cost;
      trees_[k - 1] = tree;
    }
    return point;
  }

  // Nothing: no tree can do.
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
    const auto wanted = std::ranges::find_if(open, [&](const auto& one) {
      return one.first.leaves <= options_.leaves && options_.leaves <= one.second.leaves;
    });
    const auto chosen = wanted == open.end() ? open.begin() : wanted;
    const auto interval = *chosen;
    open.erase(chosen);
    return interval;
  }

  const CostCube& cube_;
  const BoxSpace& space_;
  const SearchOptions& options_;
  std::vector<double> bound_;
  std::vector<double> best_;
  std::vector<BoxTree> trees_;
};

// Most of the time for the exact search; what is left is enough for some prices.
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

Solution search_sum(const ScaledCosts& costs, const BoxSpace& space, const SearchOptions& options,
                    double divisor) {
  const double unit = costs.unit / divisor;
  {
    FrontierTable table(costs.cube, space, Combine::kSum, options.frontier_leaves);
    if (table.fill(share_of(options.limits, 0.7))) {
      return exact_solution(table, unit, costs.cube.cells);
    }
  }
  return Hull(costs.cube, space, options).run(unit);
}

}  // namespace colltree::optimal
