// SPDX-License-Identifier: BSD-3-Clause
// Model files as `evaluate`, `compare` and `smooth` take them, and the small table of choosers that
// they set beside the default.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/options.h"
#include "cli/profile_options.h"
#include "evaluate/comparison.h"
#include "evaluate/contest.h"
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

// --held-out, --folds and --seed, as `evaluate` and `compare` have them.
struct HeldOutOptions {
  std::string held_out;  // comma list; "" or "none": no points are left out
  std::size_t folds = 5;
  std::uint64_t seed = 1;

  // Throws UsageError.
  ContestOptions parsed() const;
};

// Returns --held-out.
Option& add_held_out_options(CommandLine& line, HeldOutOptions& options);

}  // namespace colltree
