// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/fit_statistics.h"

namespace colltree {

void judge_on_training_points(Model& model, const std::vector<Timings>& timings) {
  TrainingPenalty penalty;
  PenaltyPoints all;
  for (const Timings& one : timings) {
    const PenaltyPoints points = penalty_points(one, model);
    if (timings.size() > 1) penalty.by_collective.emplace_back(one.collective, summarize(points));
    all.add(points);
  }
  penalty.all = summarize(all);
  penalty.cannot_run = all.cannot_run.size();
  model.statistics.penalty = std::move(penalty);
}

Model fit_and_judge(const Fitter& fitter, const std::vector<Timings>& timings) {
  Model model = fitter.fit(timings);
  judge_on_training_points(model, timings);
  return model;
}

}  // namespace colltree
