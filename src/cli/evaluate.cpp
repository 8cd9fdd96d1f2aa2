// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate` and `colltree compare`: what choices cost on measured timings, beside the
// library's own choice and the best fixed method.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "evaluate/penalty_json.h"
#include "model/decision_function.h"

namespace colltree {

namespace {

struct Options {
  ProfileOptions input;
  std::vector<std::string> models;
};

// Whether the model was fitted on these very points, as far as its origin tells.
bool is_training_grid(const ModelOrigin& origin, const SystemTimings& loaded) {
  std::uint64_t instances = 0;
  for (const Timings& timings : loaded.timings) instances += timings.instances.size();
  return origin.system == loaded.system.name && origin.provenance == loaded.system.provenance &&
         origin.instances == instances && origin.collectives.size() == loaded.timings.size();
}

const char* point_kind(const LoadedModel& model, const ProfileOptions& input) {
  ProfileOptions all = input;  // the model's own collectives, whichever of them are asked for now
  all.collectives.clear();
  SystemTimings loaded = load_system_timings(all);
  keep_what_the_model_knows(model, loaded);
  return is_training_grid(model.function->origin(), loaded) ? "training grid" : "held out";
}

PenaltyPoints points_of(const std::vector<Comparison>& comparisons, const std::string& chooser) {
  PenaltyPoints all;
  for (const Comparison& comparison : comparisons) {
    for (const ComparisonRow& row : comparison.rows) {
      if (row.chooser == chooser) all.add(row.points);
    }
  }
  return all;
}

void evaluate(const Options& options) {
  const std::vector<LoadedModel> models = load_models(options.models);
  const LoadedModel& model = models.front();
  SystemTimings loaded = load_system_timings(options.input);
  keep_what_the_model_knows(model, loaded);
  const std::vector<Comparison> comparisons = compare_models(loaded, models);
  const char* points = point_kind(model, options.input);
  if (options.input.json) {
    const PenaltyPoints all = points_of(comparisons, model.path);
    nlohmann::json json = model.function->statistics();  // its penalties are those of the fit
    json.erase("performance_penalty_by_collective");
    json.update({{"model", model.path},
                 {"kind", model.function->kind()},
                 {"system", loaded.system.name},
                 {"provenance", loaded.system.provenance},
                 {"points", points},
                 {"performance_penalty", penalty_json(summarize(all))},
                 {"cannot_run", cannot_run_json(all.cannot_run)},
                 {"collectives", comparisons_json(comparisons)}});
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} ({}) on {} ({}), {}\n", model.path, model.function->kind(), loaded.system.name,
             loaded.system.provenance, points);
  for (const Comparison& comparison : comparisons) fmt::print("{}", comparison_text(comparison));
}

}  // namespace

void declare_evaluate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("model", options->models, "the model, M.json")->required()->expected(1);
  add_profile_options(app, options->input, false);
  app.footer(fmt::format("{}\n\n{}", kComparisonHelp, app.get_footer()));
  app.callback([options] { evaluate(*options); });
}

}  // namespace colltree
