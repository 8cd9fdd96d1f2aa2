// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/optimal_model.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"
#include "model/kind.h"
#include "model/optimal/choose_size.h"
#include "model/optimal/frontier_table.h"
#include "model/optimal/lower_tree.h"
#include "model/rule_model.h"

namespace colltree {

using optimal::Solution;

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

Json parameters_of(const OptimalOptions& options, std::size_t leaves) {
  return {{"leaves", leaves},
          {"objective", name(options.objective)},
          {"power_of_two", options.power_of_two},
          {"noise_aware", options.noise_aware},
          {"weighted", !options.mix.empty()},
          {"time_limit_s", options.time_limit_s ? Json(*options.time_limit_s) : Json()}};
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

// [leaves, value] where a leaf more gains something; a bound as third where it is not the value.
Json frontier_json(const Solution& solution) {
  Json frontier = Json::array();
  for (std::size_t k = 1; k <= solution.value.size(); ++k) {
    const double value = solution.value[k - 1];
    const bool gains = k == 1 || value < solution.value[k - 2];
    if (solution.is_exact(k)) {
      if (gains && std::isfinite(value)) frontier.push_back({k, value});
    } else {
      frontier.push_back({k, number(value), number(solution.lower_bound[k - 1])});
    }
  }
  return frontier;
}

struct Problem {
  optimal::MeasuredGrid grid;
  optimal::BoxSpace space;
};

Problem problem_of(const std::vector<Timings>& timings, const OptimalOptions& options) {
  optimal::MeasuredGrid grid = optimal::make_measured_grid(timings);
  if (!options.mix.empty()) weigh(grid, options.mix);
  optimal::BoxSpace space = box_space(grid, options.power_of_two);
  return {std::move(grid), std::move(space)};
}

Json certificate(const Problem& problem, const OptimalOptions& options, const Solution& solution,
                 std::size_t leaves) {
  const std::size_t k = solution.index(leaves);
  Json tests = Json::array();
  Json sizes = Json::array();
  for (const GridAxis& axis : problem.grid.axes) {
    tests.push_back(axis.is_collective ? "collective" : name(axis.attribute));
    sizes.push_back(axis.size());
  }
  if (options.power_of_two) tests.push_back(name(Attribute::kCommunicatorSizeIsPowerOfTwo));
  const bool exact = solution.is_exact(leaves);
  return {{"status", exact ? "optimal" : "bounded"},
          {"objective", name(options.objective)},
          {"leaves", leaves},
          {"value", number(solution.value[k])},
          {"lower_bound", number(std::max(0.0, solution.lower_bound[k]))},
          {"tolerance", solution.tolerance},
          {"tests", tests},
          {"grid", sizes},
          {"points", problem.grid.measured_cells()},
          {"methods", problem.grid.methods.size()}};
}

Json statistics_of(const Problem& problem, const OptimalOptions& options, const Solution& solution,
                   const optimal::BoxTree& tree, std::size_t leaves) {
  const TreeShape size = shape(tree);
  return {{"leaves", size.leaves},
          {"nodes", size.nodes},
          {"min_depth", size.min_depth},
          {"max_depth", size.max_depth},
          {"mean_depth", size.mean_depth},
          {"certificate", certificate(problem, options, solution, leaves)},
          {"frontier", frontier_json(solution)}};
}

OptimalModel model_of(const ModelOrigin& origin, const Problem& problem,
                      const OptimalOptions& options, const Solution& solution, std::size_t leaves) {
  const optimal::BoxTree& tree = solution.trees[solution.index(leaves)];
  return {origin, lower_box_tree(tree, problem.grid, problem.space, origin.collectives),
          parameters_of(options, leaves), statistics_of(problem, options, solution, tree, leaves)};
}

OptimalModel fit(const ModelOrigin& origin, const std::vector<Timings>& timings,
                 const OptimalOptions& options) {
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const Solution solution = search(problem.grid, problem.space, limits);
  return model_of(origin, problem, options, solution, options.leaves);
}

}  // namespace

OptimalModel::OptimalModel(ModelOrigin origin, const std::vector<Timings>& timings,
                           const OptimalOptions& options)
    : OptimalModel(fit(origin, timings, options)) {}

OptimalModel::OptimalModel(ModelOrigin origin, RuleTree tree, Json parameters, Json statistics)
    : origin_(std::move(origin)),
      tree_(std::move(tree)),
      parameters_(std::move(parameters)),
      statistics_(std::move(statistics)) {
  validate(tree_);
}

Method OptimalModel::decide(const Instance& instance) const {
  return colltree::decide(tree_, instance);
}

Json OptimalModel::body() const { return rule_tree_to_json(tree_); }

void OptimalModel::add_statistic(const std::string& name, Json value) {
  statistics_[name] = std::move(value);
}

std::vector<std::unique_ptr<OptimalModel>> fit_optimal_sizes(const ModelOrigin& origin,
                                                             const std::vector<Timings>& timings,
                                                             const OptimalOptions& options) {
  using Kind = optimal::Objective::Kind;
  if (options.objective.kind != Kind::kMean && options.objective.kind != Kind::kTime) {
    throw UsageError("the size of a tree is chosen with the objective mean or time");
  }
  const optimal::SearchOptions limits = search_options(options);
  const Problem problem = problem_of(timings, options);
  const Solution solution = search(problem.grid, problem.space, limits);
  std::vector<std::unique_ptr<OptimalModel>> models;
  for (std::size_t k = 1; k <= std::min(options.leaves, solution.value.size()); ++k) {
    const bool gains = k == 1 || solution.value[k - 1] < solution.value[k - 2];
    if (!gains || solution.trees[k - 1].empty()) continue;
    models.push_back(
        std::make_unique<OptimalModel>(model_of(origin, problem, options, solution, k)));
  }
  return models;
}

std::unique_ptr<OptimalModel> fit_optimal(const ModelOrigin& origin,
                                          const std::vector<Timings>& timings,
                                          const OptimalOptions& options) {
  if (!options.choose_leaves) return std::make_unique<OptimalModel>(origin, timings, options);
  auto models = fit_optimal_sizes(origin, timings, options);
  std::vector<std::size_t> sizes;
  for (const auto& model : models)
    sizes.push_back(model->parameters().at("leaves").get<std::size_t>());
  const SizeChoice choice = choose_size(timings, sizes, options);
  // Where no point can be left out the last, which loses least on the points there are.
  const std::size_t index = choice.sizes.empty() ? models.size() - 1 : choice.chosen;
  OptimalModel& chosen = *models[index];
  Json parameters = chosen.parameters();
  parameters["leaves"] = "auto";
  Json statistics = chosen.statistics();
  statistics["size_choice"] = size_choice_json(choice);
  return std::make_unique<OptimalModel>(origin, chosen.lower(), std::move(parameters),
                                        std::move(statistics));
}

namespace {

bool is_objective(std::string_view word) {
  try {
    optimal::parse_objective(word);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

constexpr Parameter kParameters[] = {
    whole("leaves", "10", optimal::kLeavesRange,
          "most leaves of the tree; auto: as many as points left out of the fit speak for", "auto"),
    required(word("objective", "mean", is_objective, "mean, max, time or p1 to p99",
                  "what is least: mean, max or a quantile (p95) of the penalty, or mean time")),
    flag("power_of_two", "power_of_two",
         "also test whether the communicator size is a power of two"),
    flag("noise_aware", "noise_aware",
         "methods whose interval meets the best one's lose nothing, up to 2 % above it")};

std::unique_ptr<DecisionFunction> read_optimal(StoredModel stored) {
  read_parameters(kParameters, stored.parameters);
  RuleTree tree = rule_tree_from_json(stored.body, std::move(stored.methods));
  for (const Collective collective : stored.origin.collectives) root_of(tree, collective);
  return std::make_unique<OptimalModel>(std::move(stored.origin), std::move(tree),
                                        std::move(stored.parameters), std::move(stored.statistics));
}

std::unique_ptr<DecisionFunction> fit_optimal(const std::vector<Timings>& timings,
                                              const Parameters& parameters) {
  return fit_optimal(origin_of(timings), timings, optimal_options(parameters));
}

}  // namespace

OptimalOptions optimal_options(const Parameters& parameters) {
  const auto leaves = parameters.whole("leaves");
  return {.leaves = leaves.value_or(kMostChosenLeaves),
          .choose_leaves = !leaves,
          .objective = optimal::parse_objective(parameters.word("objective")),
          .power_of_two = parameters.flag("power_of_two"),
          .noise_aware = parameters.flag("noise_aware")};
}

const Kind kOptimalKind{"optimal", "the tree of so many leaves that loses least", kParameters,
                        fit_optimal, read_optimal};

}  // namespace colltree
