// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/kinds/optimal_size.h"
#include "model/optimal/expected_grid.h"
#include "model/optimal/frontier_table.h"
#include "model/optimal/lower_tree.h"
#include "model/optimal/objective.h"
#include "model/optimal/relaxation.h"
#include "timings/kept_methods.h"

namespace colltree::model {

using optimal::Solution;
using Goal = optimal::Objective::Kind;

namespace {

optimal::SearchOptions search_options(const OptimalOptions& options) {
  optimal::SearchOptions search{
      .objective = options.objective,
      .leaves = options.leaves,
      .frontier_leaves = std::max(options.leaves, options.frontier_leaves),
      .noise_aware = options.noise_aware};
  if (options.leaves < 1 || search.frontier_leaves > optimal::kMostLeaves) {
    throw UsageError(fmt::format("leaves: must be from 1 to {}", optimal::kMostLeaves));
  }
  search.limits.memory_bytes = options.memory_limit_bytes;
  if (options.time_limit_s) {
    if (!(*options.time_limit_s >= 0 && *options.time_limit_s <= 1e9)) {
      throw UsageError("time limit: must be 0 or more seconds");
    }
    search.limits.deadline = optimal::SearchLimits::Clock::now() +
                             std::chrono::duration_cast<optimal::SearchLimits::Clock::duration>(
                                 std::chrono::duration<double>(*options.time_limit_s));
  }
  return search;
}

constexpr const char* kAuto = "auto";

// What loses least on the points there are; a size that is chosen for other points wants more.
optimal::Objective objective_of(std::string_view word, bool choose_leaves) {
  if (word == kAuto) return {choose_leaves ? Goal::kBetween : Goal::kMean};
  return optimal::parse_objective(word);
}

bool is_objective(std::string_view word) {
  if (word == kAuto) return true;
  try {
    optimal::parse_objective(word);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

constexpr Parameter kParameters[] = {
    whole("leaves", "10", optimal::kLeavesRange,
          "most leaves of the tree; auto: chosen by cross-validation", "auto"),
    required(word(
        "objective", kAuto, is_objective, "auto, mean, between, expected, max, time or p1 to p99",
        "what is minimised: mean, max or a quantile (p95) of the penalty, the mean time, or "
        "(between) the mean penalty at measured points and between them, or (expected, with "
        "leaves=auto) the expected loss over all sizes; auto: between with leaves=auto, "
        "otherwise mean")),
    flag("power_of_two", "power_of_two",
         "also test whether the communicator size is a power of two"),
    flag("noise_aware", "noise_aware",
         "methods whose interval meets the best one's lose nothing, up to 2 % above it"),
    kLeastGain};

Parameters parameters_of(const OptimalOptions& options, std::size_t leaves) {
  Parameters parameters(kParameters);
  parameters.put("leaves", std::optional<std::uint64_t>(leaves));
  const bool as_auto = options.objective == objective_of(kAuto, options.choose_leaves);
  parameters.put("objective", as_auto ? kAuto : name(options.objective));
  parameters.put("power_of_two", options.power_of_two);
  parameters.put("noise_aware", options.noise_aware);
  parameters.put(kLeastGain.name, options.least_gain);
  return parameters;
}

// Where a leaf more gains something, or only a bound is known.
std::vector<FrontierPoint> frontier_of(const Solution& solution) {
  std::vector<FrontierPoint> frontier;
  for (std::size_t k = 1; k <= solution.value.size(); ++k) {
    const double value = solution.value[k - 1];
    const bool gains = k == 1 || value < solution.value[k - 2];
    if (!solution.is_exact(k)) {
      frontier.push_back({k, value, solution.lower_bound[k - 1]});
    } else if (gains && std::isfinite(value)) {
      frontier.push_back({k, value, value});
    }
  }
  return frontier;
}

struct Problem {
  optimal::MeasuredGrid grid;
  optimal::BoxSpace space;
};

Problem problem_of(const std::vector<Timings>& timings, const OptimalOptions& options) {
  const auto gain = least_gain(options.least_gain);
  optimal::MeasuredGrid grid = optimal::make_measured_grid(gain ? proven(timings, *gain) : timings);
  grid.proven = gain.has_value();
  if (!options.mix.empty()) {
    weigh(grid, options.mix);
  } else if (options.objective.kind == Goal::kBetween) {
    fill_holes(grid);
  }
  optimal::BoxSpace space = box_space(grid, options.power_of_two);
  return {std::move(grid), std::move(space)};
}

Certificate certificate(const Problem& problem, const OptimalOptions& options,
                        const Solution& solution, std::size_t leaves) {
  const std::size_t k = solution.index(leaves);
  Certificate proof{.optimal = solution.is_exact(leaves),
                    .objective = name(options.objective),
                    .leaves = leaves,
                    .value = solution.value[k],
                    .lower_bound = std::max(0.0, solution.lower_bound[k]),
                    .tolerance = solution.tolerance,
                    .points = problem.grid.measured_cells(),
                    .methods = problem.grid.methods.size(),
                    .time_limit_s = options.time_limit_s};
  for (const GridAxis& axis : problem.grid.axes) {
    proof.tests.emplace_back(axis.is_collective ? "collective" : name(axis.attribute));
    proof.grid.push_back(axis.size());
  }
  if (options.power_of_two)
    proof.tests.emplace_back(name(Attribute::kCommunicatorSizeIsPowerOfTwo));
  return proof;
}

Model model_of(const ModelOrigin& origin, const Problem& problem, const OptimalOptions& options,
               const Solution& solution, std::size_t leaves) {
  const optimal::BoxTree& tree = solution.trees[solution.index(leaves)];
  return {.kind = kOptimalKind.name,
          .origin = origin,
          .parameters = parameters_of(options, leaves),
          .weighted = !options.mix.empty(),
          .statistics = {.shape = shape(tree),
                         .certificate = certificate(problem, options, solution, leaves),
                         .frontier = frontier_of(solution)},
          .rules = lower_box_tree(tree, problem.grid, problem.space, origin.collectives)};
}

// What a leaf more must save, in all over the number of measured points; by perf/tables/make.py
// between, as kCaution.
constexpr double kPriceOfLeaf = 0.03;
constexpr double kCaution = 0.2;

// The tree of least expected loss and price, by one search; no points are held out for its size.
Model fit_expected(const std::vector<Timings>& timings, const OptimalOptions& options) {
  if (!options.choose_leaves) throw UsageError("objective expected: needs leaves=auto");
  if (!options.mix.empty() || least_gain(options.least_gain))
    throw UsageError("objective expected: takes neither a mix of calls nor a least gain");
  optimal::ExpectedGrid expected = optimal::make_expected_grid(timings, kCaution);
  optimal::BoxSpace space = box_space(expected.grid, options.power_of_two);
  const Problem problem{std::move(expected.grid), std::move(space)};
  const optimal::ScaledCosts costs = optimal::scale_costs(
      problem.grid.methods.size(), optimal::weighted(problem.grid, std::move(expected.cost)));
  optimal::Relaxation relaxation(costs.cube, problem.space, search_options(options).limits);
  const auto points = static_cast<double>(problem.grid.measured_cells());
  const double price = std::max(1.0, std::round(kPriceOfLeaf / points / costs.unit));
  const double value = relaxation.solve(price);
  if (value == optimal::kNotAllowed)
    throw Error("no tree on these tests can avoid every method that cannot run; allow more tests");
  const optimal::BoxTree tree = relaxation.tree();
  const std::size_t leaves = optimal::leaves_of(tree);
  // No other tree of as many leaves has a lower sum, because it would have a lower price, too.
  Solution solution{.tolerance = costs.unit * static_cast<double>(costs.cube.cells)};
  solution.value.assign(leaves, optimal::kNotAllowed);
  solution.value.back() = (value - price * static_cast<double>(leaves)) * costs.unit;
  solution.lower_bound = solution.value;
  solution.trees.assign(leaves, tree);
  Model model = model_of(origin_of(timings), problem, options, solution, leaves);
  model.parameters.put("leaves", std::optional<std::uint64_t>());
  model.statistics.frontier = {};
  return model;
}

Model fit_one_size(const std::vector<Timings>& timings, const OptimalOptions& options) {
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const Solution solution = search(problem.grid, problem.space, limits);
  return model_of(origin_of(timings), problem, options, solution, options.leaves);
}

// The model whose size is chosen by cross-validation; where no points can be held out, the last
// one, which loses least on the training points.
Model fit_chosen_size(const std::vector<Timings>& timings, const OptimalOptions& options) {
  SizeSearches searches = search_sizes(timings, options);
  std::vector<std::size_t> sizes;
  for (const Model& model : searches.all) {
    sizes.push_back(model.statistics.certificate->leaves);
  }
  SizeChoice choice = choose_size(timings, searches, sizes);
  const auto found = std::ranges::find(sizes, choice.chosen);
  const std::size_t index = found == sizes.end() ? sizes.size() - 1 : found - sizes.begin();
  Model chosen = std::move(searches.all[index]);
  chosen.parameters.put("leaves", std::optional<std::uint64_t>());
  chosen.statistics.size_choice = std::move(choice);
  return chosen;
}

Model fit(const std::vector<Timings>& timings, const Parameters& parameters) {
  return fit_optimal(timings, optimal_options(parameters));
}

}  // namespace

std::vector<Model> fit_optimal_sizes(const std::vector<Timings>& timings,
                                     const OptimalOptions& options) {
  const Goal goal = options.objective.kind;
  if (goal != Goal::kMean && goal != Goal::kBetween && goal != Goal::kTime) {
    throw UsageError("the size of a tree is chosen with the objective between, mean or time");
  }
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const Solution solution = search(problem.grid, problem.space, limits);
  const ModelOrigin origin = origin_of(timings);
  std::vector<Model> models;
  for (std::size_t k = 1; k <= std::min(options.leaves, solution.value.size()); ++k) {
    const bool gains = k == 1 || solution.value[k - 1] < solution.value[k - 2];
    if (!gains || solution.trees[k - 1].empty()) continue;
    models.push_back(model_of(origin, problem, options, solution, k));
  }
  return models;
}

Model fit_optimal(const std::vector<Timings>& timings, const OptimalOptions& options) {
  if (options.objective.kind == Goal::kExpected) return fit_expected(timings, options);
  return options.choose_leaves ? fit_chosen_size(timings, options) : fit_one_size(timings, options);
}

OptimalOptions optimal_options(const Parameters& parameters) {
  const auto leaves = parameters.whole("leaves");
  return {.leaves = leaves.value_or(kMostChosenLeaves),
          .choose_leaves = !leaves,
          .objective = objective_of(parameters.word("objective"), !leaves),
          .power_of_two = parameters.flag("power_of_two"),
          .noise_aware = parameters.flag("noise_aware"),
          .least_gain = parameters.word(kLeastGain.name)};
}

const Kind kOptimalKind{"optimal", "the tree with least penalty at its size", kParameters, fit,
                        "optimal:leaves=5 optimal:leaves=10 optimal:leaves=21 optimal:leaves=auto"};

}  // namespace colltree::model
