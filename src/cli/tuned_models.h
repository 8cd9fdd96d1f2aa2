// SPDX-License-Identifier: BSD-3-Clause
// The models that `tune` fits to what it measured.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/decision_function.h"
#include "profile/timings.h"

namespace colltree {

struct TunedModel {
  const char* name;  // of its files: bcast-quadtree3.json
  std::unique_ptr<DecisionFunction> (*fit)(const std::vector<Timings>& timings);
};

std::span<const TunedModel> tuned_models();           // of one collective
std::span<const TunedModel> tuned_combined_models();  // of several that share methods

}  // namespace colltree
