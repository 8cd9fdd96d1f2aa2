// SPDX-License-Identifier: BSD-3-Clause
// Model files as `evaluate`, `compare` and `smooth` take them, and the small table of choosers that
// they set beside the default.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/profile_options.h"
#include "evaluate/comparison.h"
#include "model/model.h"

namespace colltree {

struct LoadedModel {
  std::string path;
  std::shared_ptr<const Model> function;

  bool decides(Collective collective) const;
};

std::vector<LoadedModel> load_models(const std::vector<std::string>& paths);

// For each collective of the timings: the default, the best fixed method, the models.
std::vector<Comparison> compare_models(const SystemTimings& loaded,
                                       const std::vector<LoadedModel>& models);
Json comparisons_json(const std::vector<Comparison>& comparisons);

// Takes out what the model does not decide for. Throws Error when nothing is left.
void keep_what_the_model_knows(const LoadedModel& model, SystemTimings& loaded);

// "orfeo-epyc-core (imported, openmpi-4.1.5)"
std::string describe(const SystemInfo& system);

// What the columns of comparison_text are, for --help.
extern const char* const kComparisonHelp;

}  // namespace colltree
