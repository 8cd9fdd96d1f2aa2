// SPDX-License-Identifier: BSD-3-Clause
// What a model's choices cost on its own training points, as statistics of the model.
#pragma once

#include <vector>

#include "model/fitter.h"

namespace colltree {

void judge_on_training_points(Model& model, const std::vector<Timings>& timings);
Model fit_and_judge(const Fitter& fitter, const std::vector<Timings>& timings);

}  // namespace colltree
