// SPDX-License-Identifier: BSD-3-Clause
// Objectives that are a limit on the cells' values: the greatest penalty and quantiles.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "model/optimal/frontier_table.h"
#include "model/optimal/relaxation.h"
#include "model/optimal/search.h"

namespace colltree::optimal {

namespace {

// The fewest leaves that keep the limit; above most_leaves when these are too few. Nothing: a
// search limit stopped it.
using FewestLeaves = std::function<std::optional<std::size_t>(double limit)>;

struct LimitBounds {
  std::vector<double> low;   // by leaves - 1: no tree keeps less
  std::vector<double> high;  // a tree keeps this; infinity: none is known to keep anything
};

class Bisection {
 public:
  Bisection(const std::vector<double>& limits, std::size_t most_leaves, const FewestLeaves& ask)
      : limits_(limits), ask_(ask), low_(most_leaves, 0), high_(most_leaves, limits.size()) {}

  // Halves the open interval of this number of leaves until nothing is open; false: stopped.
  bool settle(std::size_t leaves) {
    std::size_t& low = low_[leaves - 1];
    std::size_t& high = high_[leaves - 1];
    while (low < high) {
      // limits.size() stands for "no limit is kept"; the greatest limit tells whether that is so.
      const std::size_t middle =
          high == limits_.size() && low + 1 < high ? limits_.size() - 1 : (low + high) / 2;
      const auto fewest = ask_(limits_[middle]);
      if (!fewest) return false;
      note(middle, *fewest);
    }
    return true;
  }

  LimitBounds bounds() const {
    LimitBounds bounds;
    for (std::size_t k = 0; k < low_.size(); ++k) {
      bounds.low.push_back(limit_at(low_[k]));
      bounds.high.push_back(limit_at(high_[k]));
    }
    return bounds;
  }

 private:
  void note(std::size_t limit, std::size_t fewest) {
    for (std::size_t leaves = 1; leaves <= low_.size(); ++leaves) {
      if (leaves >= fewest) {
        high_[leaves - 1] = std::min(high_[leaves - 1], limit);
      } else {
        low_[leaves - 1] = std::max(low_[leaves - 1], limit + 1);
      }
    }
  }
  double limit_at(std::size_t index) const {
    return index < limits_.size() ? limits_[index] : std::numeric_limits<double>::infinity();
  }

  const std::vector<double>& limits_;
  const FewestLeaves& ask_;
  std::vector<std::size_t> low_;  // index of the least limit that may be kept
  std::vector<std::size_t> high_;
};

// For every number of leaves, the least limit that a tree with that number of leaves can keep.
// `limits` are the possible values, ascending. All numbers of leaves share the answers, so about
// (different results) x log2(values) questions are asked. The most leaves are settled first.
LimitBounds bisect_limits(const std::vector<double>& limits, std::size_t most_leaves,
                          const FewestLeaves& fewest_leaves) {
  Bisection bisection(limits, most_leaves, fewest_leaves);
  bool running = bisection.settle(most_leaves);
  for (std::size_t leaves = 1; running && leaves <= most_leaves; ++leaves) {
    running = bisection.settle(leaves);
  }
  return bisection.bounds();
}

std::vector<double> possible_limits(const CostCube& values) {
  std::vector<double> limits = {0};
  for (const double value : values.cost) {
    if (value != kNotAllowed) limits.push_back(value);
  }
  std::ranges::sort(limits);
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

// 0 where the limit is kept, otherwise `above`; kNotAllowed stays.
template <typename Above>
std::vector<double> costs_above(const CostCube& values, double limit, Above above) {
  std::vector<double> costs = values.cost;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] != kNotAllowed) costs[i] = costs[i] > limit ? above(i) : 0;
  }
  return costs;
}

// The best tree of options.leaves leaves for these costs; empty: none, or stopped.
CellTree best_tree(std::size_t methods, std::vector<double> costs, const BoxSpace& space,
                   const SearchOptions& options) {
  const ScaledCosts scaled = scale_costs(methods, std::move(costs));
  FrontierTable table(scaled.cube, space, Combine::kSum, options.leaves);
  if (!table.fill(options.limits) || table.root().back() == kNotAllowed) return {};
  return table.tree(options.leaves);
}

// The bounds as a solution; `found` is a tree for options.leaves with its value.
Solution bounded(const LimitBounds& bounds, const SearchOptions& options, CellTree found,
                 double found_value) {
  Solution solution{.value = bounds.high, .lower_bound = bounds.low};
  solution.trees.resize(solution.value.size());
  for (std::size_t k = options.leaves; k <= solution.value.size() && !found.empty(); ++k) {
    solution.value[k - 1] = std::min(solution.value[k - 1], found_value);
  }
  solution.trees[options.leaves - 1] = std::move(found);
  return solution;
}

Solution bisect_max(const CostCube& values, const BoxSpace& space, const SearchOptions& options) {
  CellTree found = single_leaf(values, space, Combine::kMax);
  double found_value =
      found.empty() ? kNotAllowed : total(cell_costs(found, space, values), Combine::kMax);
  const auto fewest = [&](double limit) -> std::optional<std::size_t> {
    if (options.limits.expired()) return std::nullopt;
    const CostCube keeps{values.cells, values.methods,
                         costs_above(values, limit, [](std::size_t) { return kNotAllowed; })};
    Relaxation relaxation(keeps, space, options.limits);
    const double leaves = relaxation.solve(1);
    if (leaves <= static_cast<double>(options.leaves) && limit < found_value) {
      found = relaxation.tree();
      found_value = limit;
    }
    return leaves == kNotAllowed ? options.leaves + 1 : static_cast<std::size_t>(leaves);
  };
  const LimitBounds bounds = bisect_limits(possible_limits(values), options.leaves, fewest);
  return bounded(bounds, options, std::move(found), found_value);
}

// Weight of the cells that a quantile leaves out, with room for the rounding of sums.
double weight_left_out(const std::vector<double>& weights, unsigned percent) {
  const double total_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  return total_weight * (100 - percent) / 100 * (1 + 1e-12);
}

}  // namespace

Solution search_max(const CostCube& values, const std::vector<double>& mean, const BoxSpace& space,
                    const SearchOptions& options) {
  Solution solution;
  {
    FrontierTable table(values, space, Combine::kMax, options.leaves);
    if (!table.fill(options.limits)) return bisect_max(values, space, options);
    solution.value.assign(table.root().begin(), table.root().end());
    // The wanted tree may use more leaves than the last gain needs: they lower its mean.
    if (solution.value.size() < options.leaves) {
      solution.value.resize(options.leaves, solution.value.back());
    }
    solution.lower_bound = solution.value;
    solution.trees.resize(solution.value.size());
    const std::size_t wanted = solution.index(options.leaves);
    if (solution.value[wanted] == kNotAllowed) return solution;
    solution.trees[wanted] = table.tree(options.leaves);
  }
  const std::size_t wanted = solution.index(options.leaves);
  std::vector<double> costs = mean;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (values.cost[i] > solution.value[wanted]) costs[i] = kNotAllowed;
  }
  CellTree tree = best_tree(values.methods, std::move(costs), space, options);
  if (!tree.empty()) solution.trees[wanted] = std::move(tree);
  return solution;
}

Solution search_quantile(const CostCube& values, const std::vector<double>& weights,
                         const std::vector<double>& mean, const BoxSpace& space,
                         const SearchOptions& options) {
  const double left_out = weight_left_out(weights, options.objective.percent);
  const auto weight_of = [&](std::size_t i) { return weights[i / values.methods]; };
  CellTree found = single_leaf(values, space, Combine::kSum);
  const auto value_of = [&](const CellTree& tree) {
    return quantile_of(cell_costs(tree, space, values), weights, options.objective.percent);
  };
  double found_value = found.empty() ? kNotAllowed : value_of(found);
  const auto fewest = [&](double limit) -> std::optional<std::size_t> {
    const ScaledCosts above = scale_costs(values.methods, costs_above(values, limit, weight_of));
    FrontierTable table(above.cube, space, Combine::kSum, options.leaves);
    if (!table.fill(options.limits)) return std::nullopt;
    std::size_t leaves = 1;
    while (leaves <= table.root().size() && table.root()[leaves - 1] * above.unit > left_out) {
      ++leaves;
    }
    if (leaves > table.root().size()) return options.leaves + 1;
    if (leaves <= options.leaves && limit < found_value) {
      found = table.tree(leaves);
      found_value = limit;
    }
    return leaves;
  };
  const LimitBounds bounds = bisect_limits(possible_limits(values), options.leaves, fewest);
  if (found_value != kNotAllowed) {
    // First as few points above the quantile as possible, then the least mean.
    double more_than_means = 1;
    for (const double cost : mean) more_than_means += cost == kNotAllowed ? 0 : cost;
    std::vector<double> costs = costs_above(
        values, found_value, [&](std::size_t i) { return more_than_means * weight_of(i); });
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += mean[i];
    CellTree tree = best_tree(values.methods, std::move(costs), space, options);
    if (!tree.empty() && value_of(tree) <= found_value) found = std::move(tree);
  }
  return bounded(bounds, options, std::move(found), found_value);
}

double quantile_of(const std::vector<double>& cell_values, const std::vector<double>& weights,
                   unsigned percent) {
  std::vector<std::size_t> order(cell_values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t cell) { return cell_values[cell]; });
  const double left_out = weight_left_out(weights, percent);
  double above = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    above += weights[order[i]];
    if (above > left_out) return cell_values[order[i]];
  }
  return 0;
}

}  // namespace colltree::optimal
