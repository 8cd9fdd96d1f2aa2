// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate`: the penalty of a model's choices on measured timings and on held-out points,
// beside the penalty that noise alone causes (docs/tasks/judging.md).
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "base/work.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "evaluate/comparison.h"
#include "evaluate/points.h"
#include "evaluate/sessions.h"
#include "model/fitter.h"
#include "model/model.h"
#include "timings/penalty_json.h"

namespace colltree::cli {

namespace {

struct EvaluateOptions {
  ProfileOptions input;
  std::vector<std::string> models;
  std::vector<std::string> profiles;  // the first, and other sessions
  HeldOutOptions held_out;
  bool details = false;
};

// Loads what the model decides for, of the collectives that are asked for.
SystemTimings load_known(const LoadedModel& model, const ProfileOptions& input) {
  SystemTimings loaded = load_system_timings(input);
  keep_what_the_model_knows(model, loaded);
  return loaded;
}

// The model's origin tells whether it was fitted to these very times.
const char* point_kind(const model::ModelOrigin& origin, const SystemTimings& model_timings) {
  if (origin.system != model_timings.system.name ||
      origin.provenance != model_timings.system.provenance) {
    return "another system";
  }
  std::uint64_t instances = 0;
  for (const Timings& timings : model_timings.timings) instances += timings.instances.size();
  const bool same = origin.timings.empty() ? origin.instances == instances
                                           : origin.timings == hash_of(model_timings.timings);
  return same && origin.collectives.size() == model_timings.timings.size()
             ? "training grid"
             : "other timings of its system";
}

PenaltyPoints points_of(const std::vector<evaluate::Comparison>& comparisons,
                        const std::string& chooser) {
  PenaltyPoints points;
  for (const evaluate::Comparison& comparison : comparisons) {
    for (const evaluate::ComparisonRow& row : comparison.rows) {
      if (row.chooser == chooser) points.add(row.points);
    }
  }
  return points;
}

// The model's fit repeated without each fold of all its collectives; a row in each table.
void add_held_out_rows(const LoadedModel& model, const SystemTimings& model_timings,
                       const EvaluateOptions& options,
                       std::vector<evaluate::Comparison>& comparisons) {
  const evaluate::ContestOptions how = options.held_out.parsed();
  if (how.held_out.empty()) return;
  const model::Fitter fitter = model::fitter_of(*model.function);
  for (const HeldOut kind : how.held_out) {
    const Folds folds(model_timings.timings, {kind, how.folds, how.seed});
    Progress progress(fmt::format("without {}", name(kind)), folds.count(), "fits");
    std::vector<PenaltyPoints> points = evaluate::held_out_points(
        model_timings.timings, folds, evaluate::fitted_by(fitter), [&] { progress.advance(); });
    progress.finish();
    for (std::size_t i = 0; i < model_timings.timings.size(); ++i) {
      const auto table = std::ranges::find(comparisons, model_timings.timings[i].collective,
                                           &evaluate::Comparison::collective);
      if (table == comparisons.end()) continue;
      table->rows.push_back({.chooser = fmt::format("held out: {}", name(kind)),
                             .detail = fmt::format("{} folds", folds.count()),
                             .points = std::move(points[i]),
                             .bootstrap = evaluate::held_out_bootstrap(folds, how.seed)});
    }
  }
}

void add_noise_floors(const SystemTimings& loaded, const EvaluateOptions& options,
                      std::vector<evaluate::Comparison>& comparisons) {
  for (evaluate::Comparison& comparison : comparisons) {
    std::ranges::move(
        evaluate::noise_floor_rows({options.input.profile,
                                    load_options(options.input),
                                    loaded.system.name,
                                    comparison.collective,
                                    {options.profiles.begin() + 1, options.profiles.end()},
                                    evaluate::ContestOptions{}.seed}),
        std::back_inserter(comparison.rows));
  }
}

void print_json(const LoadedModel& model, const SystemTimings& loaded, const char* points,
                const std::vector<evaluate::Comparison>& comparisons) {
  const PenaltyPoints model_points = points_of(comparisons, model.path);
  Json json = model::to_json(model.function->statistics);  // its penalties are those of the fit
  json.erase("performance_penalty_by_collective");
  json.update({{"model", model.path},
               {"kind", model.function->kind},
               {"system", loaded.system.name},
               {"provenance", loaded.system.provenance},
               {"points", points},
               {"performance_penalty", penalty_json(summarize(model_points, Bootstrap{}))},
               {"cannot_run", cannot_run_json(model_points.cannot_run)},
               {"collectives", json_list(comparisons, evaluate::comparison_json)}});
  print_results("colltree/evaluate/1", json);
}

void evaluate(const EvaluateOptions& options) {
  const std::vector<LoadedModel> models = load_models(options.models);
  const LoadedModel& model = models.front();
  const SystemTimings loaded = load_known(model, options.input);
  ProfileOptions every_collective = options.input;
  every_collective.collectives.clear();
  const SystemTimings model_timings = load_known(model, every_collective);
  std::vector<evaluate::Comparison> comparisons = compare_models(loaded, models);
  add_held_out_rows(model, model_timings, options, comparisons);
  add_noise_floors(loaded, options, comparisons);
  const char* points = point_kind(model.function->origin, model_timings);
  if (options.input.json) return print_json(model, loaded, points, comparisons);
  fmt::print("{} ({}) on {} ({}), {}\n", model.path, model.function->kind, loaded.system.name,
             loaded.system.provenance, points);
  for (const evaluate::Comparison& comparison : comparisons)
    fmt::print("{}{}", evaluate::comparison_text(comparison, detail_of(options.details)),
               evaluate::no_noise_floor(loaded.timings, comparison));
  if (!options.details) fmt::print("{}\n", evaluate::kShortColumns);
}

constexpr const char* kEvaluateHelp =
    "Rows: the library's own choice, the best fixed method, the model; 'held out': fitted again "
    "without each fold\nand judged on that fold; 'noise floor (A -> B)': the best methods of half, "
    "campaign or session A judged by\nthe times of B, among the methods of "
    "both.\ndocs/tasks/judging.md says more.";

}  // namespace

void declare_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  app.add_option("model", options->models, "the model (M.json)")->required()->expected(1);
  app.add_option("--on", options->profiles,
                 "the profile (P.db); given again, others of the same points, to estimate what "
                 "noise between sessions costs")
      ->allow_extra_args(false)
      ->required();
  app.add_flag("--json", options->input.json, "print the results as JSON");
  add_timing_options(app, options->input);
  add_held_out_options(app, options->held_out);
  app.add_flag("--details", options->details, kDetailsHelp);
  app.footer(fmt::format("{}\n{}\n\n{}", kEvaluateHelp, kComparisonHelp, app.get_footer()));
  app.callback([options] {
    options->input.profile = options->profiles.front();
    evaluate(*options);
  });
}

}  // namespace colltree::cli
