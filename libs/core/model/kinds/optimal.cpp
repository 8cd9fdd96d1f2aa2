// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/expectation.h"
#include "model/optimal/expected_grid.h"
#include "model/optimal/frontier_table.h"
#include "model/optimal/objective.h"

namespace colltree::model {

using optimal::Solution;
using Goal = optimal::Objective::Kind;

namespace {

optimal::SearchOptions search_options(const OptimalOptions& options) {
  optimal::SearchOptions search{.objective = options.objective, .leaves = options.leaves};
  if (options.leaves < 1 || options.leaves > optimal::kMostLeaves) {
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

// A tree of a size that was given minimises the mean penalty on the points there are; if the size
// is chosen, the tree must also be good at other points.
optimal::Objective objective_of(std::string_view word, bool choose_leaves) {
  if (word == kAuto) return {choose_leaves ? Goal::kExpected : Goal::kMean};
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
          "most leaves of the tree; auto: as many as pay for themselves at sizes nobody measured",
          kAuto),
    required(word("objective", kAuto, is_objective, "auto, mean, expected, max, time or p1 to p99",
                  "what is minimised: mean, max or a quantile (p95) of the penalty, the mean time, "
                  "or the expected loss over all sizes; auto: expected with leaves=auto, otherwise "
                  "mean")),
    real("caution", "0.2", kCautionRange,
         "of the objective expected: how many times a loss against the library's own choice counts "
         "more"),
    flag("power_of_two", "power_of_two",
         "also test whether the communicator size is a power of two")};

Parameters parameters_of(const OptimalOptions& options, std::size_t leaves) {
  Parameters parameters(kParameters);
  parameters.put("leaves",
                 options.choose_leaves ? std::nullopt : std::optional<std::uint64_t>(leaves));
  const bool as_auto = options.objective == objective_of(kAuto, options.choose_leaves);
  parameters.put("objective", as_auto ? kAuto : name(options.objective));
  parameters.put("caution", options.caution);
  parameters.put("power_of_two", options.power_of_two);
  return parameters;
}

// The points of the frontier where one more leaf gains something, or where only a bound is known.
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
  std::vector<std::string> like_default;  // methods that were left out
};

bool is_expected(const OptimalOptions& options) {
  return options.objective.kind == Goal::kExpected;
}

Problem problem_of(const std::vector<Timings>& timings, const OptimalOptions& options) {
  std::vector<std::pair<Collective, Method>> left_out;
  optimal::MeasuredGrid grid =
      is_expected(options)
          ? optimal::make_expected_grid(optimal::told_apart(timings, left_out), options.caution)
          : optimal::make_measured_grid(timings);
  if (!options.mix.empty()) weigh(grid, options.mix);
  optimal::BoxSpace space = box_space(grid, options.power_of_two);
  Problem problem{std::move(grid), std::move(space), {}};
  for (const auto& [collective, method] : left_out)
    problem.like_default.push_back(
        (timings.size() == 1 ? "" : std::string(name(collective)) + " ") + method.label());
  return problem;
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
  const optimal::CellTree& tree = solution.trees[solution.index(leaves)];
  return {.kind = kOptimalKind.name,
          .origin = origin,
          .parameters = parameters_of(options, leaves),
          .weighted = !options.mix.empty(),
          .statistics = {.shape = shape(tree),
                         .certificate = certificate(problem, options, solution, leaves),
                         .frontier = frontier_of(solution),
                         .like_default = problem.like_default},
          .rules = lower(tree, problem.grid, problem.space, origin.collectives)};
}

// The price of a leaf, times the number of measured points, for each bit that it takes to name one
// of the points as its border; chosen with `perf/tables/make.py between`, as the default caution.
constexpr double kPriceOfBit = 0.0035;

// One search finds the tree of least expected loss and price.
Model fit_chosen_size(const std::vector<Timings>& timings, const OptimalOptions& options) {
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const auto points = static_cast<double>(problem.grid.measured_cells());
  const Solution solution = search_priced(problem.grid, problem.space, limits,
                                          kPriceOfBit * std::log2(points + 1) / points);
  Model model = model_of(origin_of(timings), problem, options, solution, solution.value.size());
  model.statistics.frontier = {};
  model.statistics.expectation = expectation_of(model.rules, problem.grid, timings);
  return model;
}

Model fit_one_size(const std::vector<Timings>& timings, const OptimalOptions& options) {
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const Solution solution = search(problem.grid, problem.space, limits);
  Model model = model_of(origin_of(timings), problem, options, solution, options.leaves);
  if (is_expected(options))
    model.statistics.expectation = expectation_of(model.rules, problem.grid, timings);
  return model;
}

Model fit(const std::vector<Timings>& timings, const Parameters& parameters) {
  return fit_optimal(timings, optimal_options(parameters));
}

}  // namespace

std::vector<Model> fit_optimal_sizes(const std::vector<Timings>& timings,
                                     const OptimalOptions& options) {
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
  if (options.choose_leaves && !is_expected(options))
    throw UsageError(fmt::format("leaves=auto: goes with the objective expected, not with {}",
                                 name(options.objective)));
  return options.choose_leaves ? fit_chosen_size(timings, options) : fit_one_size(timings, options);
}

OptimalOptions optimal_options(const Parameters& parameters) {
  const auto leaves = parameters.whole("leaves");
  return {.leaves = leaves.value_or(OptimalOptions{}.leaves),
          .choose_leaves = !leaves,
          .objective = objective_of(parameters.word("objective"), !leaves),
          .caution = parameters.real("caution"),
          .power_of_two = parameters.flag("power_of_two")};
}

const Kind kOptimalKind{"optimal", "the tree with least penalty at its size", kParameters, fit,
                        "optimal:leaves=5 optimal:leaves=10 optimal:leaves=21 optimal:leaves=auto"};

}  // namespace colltree::model
