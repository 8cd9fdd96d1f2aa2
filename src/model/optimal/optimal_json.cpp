// SPDX-License-Identifier: BSD-3-Clause
// Reading the kind "optimal" (docs/formats/model.md), and fitting it by name.
#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"
#include "model/model_kind.h"
#include "model/optimal/optimal_model.h"
#include "model/rule_model.h"

namespace colltree {

std::unique_ptr<DecisionFunction> read_optimal(StoredModel stored) {
  optimal::parse_objective(json_string(stored.parameters, "objective"));
  RuleTree tree = rule_tree_from_json(stored.body, std::move(stored.methods));
  for (const Collective collective : stored.origin.collectives) root_of(tree, collective);
  return std::make_unique<OptimalModel>(std::move(stored.origin), std::move(tree),
                                        std::move(stored.parameters), std::move(stored.statistics));
}

std::unique_ptr<DecisionFunction> fit_optimal(const std::vector<Timings>& timings,
                                              const Json& parameters) {
  OptimalOptions options;
  options.choose_leaves = json_field(parameters, "leaves") == "auto";
  options.leaves = options.choose_leaves ? kMostChosenLeaves : json_unsigned(parameters, "leaves");
  options.objective = optimal::parse_objective(json_string(parameters, "objective"));
  options.power_of_two = json_flag_or(parameters, "power_of_two", false);
  options.noise_aware = json_flag_or(parameters, "noise_aware", false);
  return fit_optimal(origin_of(timings), timings, options);
}

}  // namespace colltree
