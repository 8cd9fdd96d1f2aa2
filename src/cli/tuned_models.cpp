// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tuned_models.h"

#include <nlohmann/json.hpp>

#include "cli/fit_input.h"
#include "cli/quadtree_input.h"
#include "model/c45_model.h"
#include "model/quadtree/grid_tree_model.h"

namespace colltree {

namespace {

template <typename Model>
std::unique_ptr<DecisionFunction> with_penalty(Model model, const std::vector<Timings>& timings) {
  const nlohmann::json penalty = penalty_statistics(model, timings);
  for (const auto& [name, value] : penalty.items()) model.add_statistic(name, value);
  return std::make_unique<Model>(std::move(model));
}

std::unique_ptr<DecisionFunction> quadtree(const std::vector<Timings>& timings,
                                           std::optional<std::uint64_t> max_depth) {
  GridTreeOptions options;
  options.max_depth = max_depth;
  return with_penalty(
      GridTreeModel(origin_of(timings), make_grid_of(timings, "collective"), options), timings);
}

std::unique_ptr<DecisionFunction> c45(const std::vector<Timings>& timings, int weight,
                                      float confidence_level) {
  C45Options options;
  options.weight = weight;
  options.confidence_level = confidence_level;
  return with_penalty(C45Model(origin_of(timings), timings, options), timings);
}

using Many = std::vector<Timings>;

constexpr TunedModel kModels[] = {
    {"quadtree3", [](const Many& timings) { return quadtree(timings, 3); }},
    {"quadtree", [](const Many& timings) { return quadtree(timings, std::nullopt); }},
    {"c45-m2-c25", [](const Many& timings) { return c45(timings, 2, 25); }},
    {"c45-m40-c5", [](const Many& timings) { return c45(timings, 40, 5); }},
};

constexpr TunedModel kCombined[] = {
    {"c45-m2-c25", [](const Many& timings) { return c45(timings, 2, 25); }},
    {"c45-m20-c5", [](const Many& timings) { return c45(timings, 20, 5); }},
};

}  // namespace

std::span<const TunedModel> tuned_models() { return kModels; }
std::span<const TunedModel> tuned_combined_models() { return kCombined; }

}  // namespace colltree
