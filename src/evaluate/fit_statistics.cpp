// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/fit_statistics.h"

#include "timings/penalty_json.h"

namespace colltree {

Json penalty_statistics(const DecisionFunction& model, const std::vector<Timings>& timings) {
  const Chooser choose = [&](const Instance& instance) { return model.decide(instance); };
  PenaltyPoints all;
  Json by_collective = Json::object();
  for (const Timings& one : timings) {
    const PenaltyPoints points = penalty_points(one, choose);
    by_collective[name(one.collective)] = penalty_json(summarize(points));
    all.add(points);
  }
  Json result = {{"performance_penalty", penalty_json(summarize(all))},
                 {"cannot_run", all.cannot_run.size()}};
  if (timings.size() > 1) result["performance_penalty_by_collective"] = by_collective;
  return result;
}

void add_penalty_statistics(DecisionFunction& model, const std::vector<Timings>& timings) {
  const Json penalty = penalty_statistics(model, timings);
  for (const auto& [name, value] : penalty.items()) model.add_statistic(name, value);
}

std::unique_ptr<DecisionFunction> fit_with_penalty(const Fitter& fitter,
                                                   const std::vector<Timings>& timings) {
  std::unique_ptr<DecisionFunction> model = fitter.fit(timings);
  add_penalty_statistics(*model, timings);
  return model;
}

}  // namespace colltree
