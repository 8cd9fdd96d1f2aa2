// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate` and `colltree compare`: what choices cost on measured timings, beside the
// library's own choice and the best fixed method.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "evaluate/comparison.h"
#include "evaluate/penalty_json.h"
#include "model/decision_function.h"

namespace colltree {

namespace {

struct Options {
  ProfileOptions input;
  std::vector<std::string> models;
};

struct LoadedModel {
  std::string path;
  std::unique_ptr<DecisionFunction> function;

  bool decides(Collective collective) const {
    return std::ranges::count(function->origin().collectives, collective) > 0;
  }
};

std::vector<LoadedModel> load_models(const std::vector<std::string>& paths) {
  std::vector<LoadedModel> models;
  for (const std::string& path : paths) models.push_back({path, load_model(path)});
  return models;
}

Comparison compare_one(const Timings& timings, const std::string& mpi,
                       const std::vector<LoadedModel>& models) {
  Comparison comparison = compare_baselines(timings, mpi);
  for (const LoadedModel& model : models) {
    if (!model.decides(timings.collective)) continue;
    comparison.rows.push_back(
        {model.path, model.function->kind(), penalty_points(timings, [&](const Instance& instance) {
           return model.function->decide(instance);
         })});
  }
  return comparison;
}

std::vector<Comparison> compare_all(const SystemTimings& loaded,
                                    const std::vector<LoadedModel>& models) {
  std::vector<Comparison> comparisons;
  for (const Timings& timings : loaded.timings) {
    comparisons.push_back(compare_one(timings, loaded.system.mpi, models));
  }
  return comparisons;
}

nlohmann::json comparisons_json(const std::vector<Comparison>& comparisons) {
  nlohmann::json json = nlohmann::json::array();
  for (const Comparison& comparison : comparisons) json.push_back(comparison_json(comparison));
  return json;
}

// Whether the model was fitted on these very points, as far as its origin tells.
bool is_training_grid(const ModelOrigin& origin, const SystemTimings& loaded) {
  std::uint64_t instances = 0;
  for (const Timings& timings : loaded.timings) instances += timings.instances.size();
  return origin.system == loaded.system.name && origin.provenance == loaded.system.provenance &&
         origin.instances == instances && origin.collectives.size() == loaded.timings.size();
}

void keep_what_the_model_knows(const LoadedModel& model, SystemTimings& loaded) {
  std::erase_if(loaded.timings,
                [&](const Timings& timings) { return !model.decides(timings.collective); });
  if (!loaded.timings.empty()) return;
  std::vector<std::string_view> known;
  for (const Collective collective : model.function->origin().collectives) {
    known.push_back(name(collective));
  }
  throw Error(fmt::format("{}: decides for {} only, which is not among the timings asked for",
                          model.path, fmt::join(known, ", ")));
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
  const std::vector<Comparison> comparisons = compare_all(loaded, models);
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

void compare(const Options& options) {
  const std::vector<LoadedModel> models = load_models(options.models);
  const SystemTimings loaded = load_system_timings(options.input);
  const std::vector<Comparison> comparisons = compare_all(loaded, models);
  if (options.input.json) {
    fmt::print("{}\n", nlohmann::json{{"system", loaded.system.name},
                                      {"provenance", loaded.system.provenance},
                                      {"mpi", loaded.system.mpi},
                                      {"collectives", comparisons_json(comparisons)}}
                           .dump(2));
    return;
  }
  fmt::print("{} ({}{}{})\n", loaded.system.name, loaded.system.provenance,
             loaded.system.mpi.empty() ? "" : ", ", loaded.system.mpi);
  for (const Comparison& comparison : comparisons) fmt::print("{}", comparison_text(comparison));
}

constexpr const char* kColumnsHelp =
    "Columns: performance penalty in % (mean, median, 95th percentile, maximum), share of "
    "instances above 5 %,\nnumber above 50 %; 'no run': instances where the choice has no time; "
    "'beats': instances where the\nlibrary's own choice is faster than every method (its penalty "
    "is "
    "0 there); 'vs def': geometric mean of\nthe time against the library's own choice in %, below "
    "0 is faster.";

}  // namespace

void declare_evaluate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("model", options->models, "the model, M.json")->required()->expected(1);
  add_profile_options(app, options->input, false);
  app.footer(fmt::format("{}\n\n{}", kColumnsHelp, app.get_footer()));
  app.callback([options] { evaluate(*options); });
}

void declare_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_profile_options(app, options->input);
  app.add_option("models", options->models, "models to set beside them, M.json");
  app.footer(fmt::format("{}\n\n{}", kColumnsHelp, app.get_footer()));
  app.callback([options] { compare(*options); });
}

}  // namespace colltree
