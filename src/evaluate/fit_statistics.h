// SPDX-License-Identifier: BSD-3-Clause
// What a fit costs on its own training points, as statistics of the model.
#pragma once

#include <memory>
#include <vector>

#include "base/json.h"
#include "model/fitter.h"

namespace colltree {

// "performance_penalty" over all instances and, with several collectives,
// "performance_penalty_by_collective".
Json penalty_statistics(const DecisionFunction& model, const std::vector<Timings>& timings);

// Adds these to the statistics of the model.
void add_penalty_statistics(DecisionFunction& model, const std::vector<Timings>& timings);
std::unique_ptr<DecisionFunction> fit_with_penalty(const Fitter& fitter,
                                                   const std::vector<Timings>& timings);

}  // namespace colltree
