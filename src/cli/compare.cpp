// SPDX-License-Identifier: BSD-3-Clause
// `colltree compare`: everything that could decide, on one profile, in one table
// (docs/evaluating.md). With model files and nothing else: these beside the default.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/compared_fitters.h"
#include "cli/held_out_options.h"
#include "cli/loaded_models.h"
#include "deploy/decision_timing.h"
#include "emit/emitter.h"
#include "evaluate/contest.h"
#include "evaluate/session_noise.h"
#include "model/openmpi/library_rules.h"

namespace colltree {

namespace {

struct Options {
  ProfileOptions input;
  std::vector<std::string> models;
  std::string fitters;  // "": the default list
  HeldOutOptions held_out{.held_out = "communicator_sizes"};
  bool csv = false;
  bool markdown = false;
  bool no_times = false;
  bool only_models = false;  // the small table of these models
};

void compare_only_models(const Options& options) {
  const SystemTimings loaded = load_system_timings(options.input);
  const std::vector<Comparison> comparisons = compare_models(loaded, load_models(options.models));
  if (options.input.json) {
    fmt::print("{}\n", Json{{"system", loaded.system.name},
                            {"provenance", loaded.system.provenance},
                            {"mpi", loaded.system.mpi},
                            {"collectives", comparisons_json(comparisons)}}
                           .dump(2));
    return;
  }
  fmt::print("{}\n", describe(loaded.system));
  for (const Comparison& comparison : comparisons) fmt::print("{}", comparison_text(comparison));
}

std::vector<Contender> contenders_for(const Timings& timings, const SystemInfo& system,
                                      const Options& options,
                                      const std::vector<LoadedModel>& models) {
  std::vector<Contender> all = {best_fixed()};
  if (auto rules = openmpi_library_rules(timings, system.mpi)) {
    all.push_back(fixed_model("default by rules", std::move(rules)));
  }
  const std::string text = options.fitters.empty() ? default_compared() : options.fitters;
  for (const Fitter& fitter : parse_compared(text, timings)) all.push_back(fitted_by(fitter));
  for (const LoadedModel& model : models) {
    if (model.decides(timings.collective)) all.push_back(fixed_model(model.path, model.function));
  }
  all.push_back(interpolation());
  all.push_back(exact_map());
  return all;
}

Deployment deploy(const FittedChooser& fitted, const Timings& timings, bool times) {
  Deployment deployment;
  if (!fitted.model) {
    if (times) deployment.decide_ns = chooser_ns(fitted.choose, timings.collective);
    return deployment;
  }
  try {
    const std::string cdt = find_emitter("cdt").emit(*fitted.model, {});
    deployment.bytes = cdt.size();
    if (times) deployment.decide_ns = decision_file_ns(cdt, timings.collective);
  } catch (const Error&) {
    // A model that no compact file can hold has no size; the table shows a dash.
  }
  return deployment;
}

Contest contest_of(const Timings& timings, const SystemInfo& system, const Options& options,
                   const std::vector<LoadedModel>& models) {
  const std::vector<Contender> contenders = contenders_for(timings, system, options, models);
  const ContestOptions how = options.held_out.parsed();
  Progress progress(fmt::format("{} {}", system.name, name(timings.collective)),
                    fits_of(contenders.size(), how), "fits");
  Contest contest = run_contest(
      timings, system.mpi, contenders, how,
      [&](const FittedChooser& fitted, const Timings& on) {
        return deploy(fitted, on, !options.no_times);
      },
      [&] { progress.advance(); });
  progress.finish();
  for (ComparisonRow& floor : noise_floor_rows({options.input.profile,
                                                load_options(options.input),
                                                system.name,
                                                timings.collective,
                                                {},
                                                how.seed})) {
    contest.rows.push_back({.chooser = floor.chooser,
                            .detail = floor.detail,
                            .training = std::move(floor.points),
                            .held_out = {contest.parts.size(), std::nullopt}});
  }
  if (options.no_times) {
    for (ContestRow& row : contest.rows) row.fit_ms.reset();
  }
  return contest;
}

void print_json(const SystemInfo& system, const std::vector<Contest>& contests) {
  Json collectives = Json::array();
  for (const Contest& contest : contests) collectives.push_back(contest_json(contest));
  fmt::print("{}\n", Json{{"system", system.name},
                          {"provenance", system.provenance},
                          {"mpi", system.mpi},
                          {"collectives", collectives}}
                         .dump(2));
}

void compare(const Options& options) {
  if (options.only_models) return compare_only_models(options);
  const std::vector<LoadedModel> models = load_models(options.models);
  const SystemTimings loaded = load_system_timings(options.input);
  std::vector<Contest> contests;
  for (const Timings& timings : loaded.timings) {
    contests.push_back(contest_of(timings, loaded.system, options, models));
  }
  if (options.input.json) return print_json(loaded.system, contests);
  if (!options.csv && !options.markdown) fmt::print("{}\n", describe(loaded.system));
  for (const Contest& contest : contests) {
    const bool first = &contest == contests.data();
    fmt::print("{}", options.csv        ? contest_csv(contest, loaded.system.name, first)
                     : options.markdown ? contest_markdown(contest, loaded.system.name)
                                        : contest_text(contest));
  }
}

constexpr const char* kHelp =
    "Columns: leaves; bytes of the compact decision file; mean penalty in % with its 95 % "
    "bootstrap "
    "interval,\n'no run': instances where the choice has no time ('charged': the mean with the "
    "slowest method's time there), and\nthe maximum, on the points fitted to; mean penalty on "
    "points left "
    "out, fitted on the rest; time to fit and to decide. "
    "docs/evaluating.md says more.\nWith model files and neither --fit nor --held-out: only these, "
    "beside the default.\n\nFitters:\n";

}  // namespace

void declare_compare(CommandLine& line) {
  auto options = std::make_shared<Options>();
  add_profile_options(line, options->input);
  line.add("models", options->models, "models to set beside them, M.json");
  const Option* fit =
      &line.add("--fit", options->fitters,
                "fitters to compare, separated by semicolons: 'quadtree:max_depth=*; "
                "c45:weight=8,confidence=5'");
  const Option* held_out = &add_held_out_options(line, options->held_out);
  line.add_flag("--csv", options->csv, "print CSV, a line for each chooser and kind of points");
  line.add_flag("--markdown", options->markdown, "print tables for documents");
  line.add_flag("--no-times", options->no_times,
                "do not time anything: the same output every time");
  line.set_footer(fmt::format("{}{}\n{}", kHelp, fitter_help(), line.footer()));
  line.set_work([options, fit, held_out] {
    options->only_models = !options->models.empty() && !fit->given() && !held_out->given();
    compare(*options);
  });
}

}  // namespace colltree
