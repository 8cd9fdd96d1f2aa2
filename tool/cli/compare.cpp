// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate compare`: all decision functions on one profile, in one table
// (docs/tasks/judging.md). Model files alone are compared with the default; other profiles are set
// side by side with the first.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/streams.h"
#include "base/work.h"
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/loaded_models.h"
#include "cli/profile_options.h"
#include "deploy/decision_timing.h"
#include "emit/emitter.h"
#include "evaluate/comparison.h"
#include "evaluate/points.h"
#include "evaluate/runs.h"
#include "evaluate/sessions.h"
#include "model/fitter.h"
#include "model/openmpi/library_rules.h"
#include "parametric/parameters.h"
#include "surrogate/complete.h"

namespace colltree::cli {

namespace {

struct CompareOptions {
  ProfileOptions input;
  std::vector<std::string> models;
  std::string fitters;  // "": the default list
  HeldOutOptions held_out{.held_out = "communicator_sizes"};
  std::optional<std::string> on;  // another session to judge by
  std::string output;             // of CSV, "-": standard output; "": the tables
  bool details = false;
  bool only_models = false;  // the small table of these models
};

void compare_only_models(const CompareOptions& options) {
  const SystemTimings loaded = load_system_timings(options.input);
  const std::vector<evaluate::Comparison> comparisons =
      compare_models(loaded, load_models(options.models));
  if (options.input.json)
    return print_results("colltree/compare-models/1",
                         {{"system", loaded.system.name},
                          {"provenance", loaded.system.provenance},
                          {"mpi", loaded.system.mpi},
                          {"collectives", json_list(comparisons, evaluate::comparison_json)}});
  if (!options.output.empty())
    return write_or_print(options.output, evaluate::contests_csv(comparisons, loaded.system.name));
  fmt::print("{}\n", describe(loaded.system));
  for (const evaluate::Comparison& comparison : comparisons)
    fmt::print("{}", evaluate::comparison_text(comparison, detail_of(options.details)));
  if (!options.details) fmt::print("{}\n", evaluate::kShortColumns);
}

std::vector<evaluate::Contender> contenders_for(const Timings& timings,
                                                const profile::SystemInfo& system,
                                                const CompareOptions& options,
                                                const std::vector<LoadedModel>& models) {
  std::vector<evaluate::Contender> contenders = {evaluate::best_fixed()};
  if (auto rules = model::openmpi_library_rules(timings, system.mpi)) {
    contenders.push_back(evaluate::fixed_model("default by rules", std::move(rules)));
  }
  std::string text = options.fitters.empty() ? default_compared() : options.fitters;
  const bool by_network = take_network_model(text);
  for (const model::Fitter& fitter : parse_compared(text, timings))
    contenders.push_back(evaluate::fitted_by(fitter));
  if (by_network) {
    const auto network = std::make_shared<MeasuredNetwork>(options.input, system);
    contenders.push_back(evaluate::least_expected_time(
        kNetworkModel,
        [network](Collective collective) { return network->network_of(collective); }));
  }
  for (const LoadedModel& model : models) {
    if (model.decides(timings.collective))
      contenders.push_back(evaluate::fixed_model(model.path, model.function));
  }
  contenders.push_back(evaluate::interpolation());
  contenders.push_back(evaluate::exact_map());
  return contenders;
}

// Sets the bytes and the time to decide, if `times`.
void deploy(const evaluate::FittedChooser& fitted, const Timings& timings, bool times,
            evaluate::ComparisonRow& row) {
  if (!fitted.model) {
    if (times) row.decide_ns = deploy::chooser_ns(fitted.choose, timings.collective);
    return;
  }
  try {
    const std::string cdt = emit::find_emitter("cdt").emit(*fitted.model, {});
    row.bytes = cdt.size();
    if (times) row.decide_ns = deploy::decision_file_ns(cdt, timings.collective);
  } catch (const Error&) {
    // A model that no compact file can hold has no size; the table shows a dash.
  }
}

// Returns nothing if the other session does not have this collective.
std::shared_ptr<const evaluate::SessionPair> sessions_of(const Timings& timings,
                                                         const profile::SystemInfo& system,
                                                         const CompareOptions& options) {
  const profile::Profile session(*options.on, profile::OpenMode::kRead);
  const profile::SystemInfo there = evaluate::system_beside(session, system.name);
  auto times = surrogate::complete(
      profile::find_timings(session, there.name, timings.collective, load_options(options.input)));
  if (!times) return nullptr;
  return std::make_shared<evaluate::SessionPair>(
      evaluate::make_session_pair({.here_name = evaluate::session_name(options.input.profile),
                                   .there_name = evaluate::session_name(*options.on),
                                   .here_system = system,
                                   .there_system = there,
                                   .here = timings,
                                   .there = std::move(*times)}));
}

// Returns nothing if the other session has no times of this collective.
std::optional<evaluate::Comparison> contest_of(const Timings& all_timings,
                                               const profile::SystemInfo& system,
                                               const CompareOptions& options,
                                               const std::vector<LoadedModel>& models) {
  std::shared_ptr<const evaluate::SessionPair> sessions;
  if (options.on) sessions = sessions_of(all_timings, system, options);
  if (options.on && !sessions) return std::nullopt;
  const Timings& timings = sessions ? sessions->here : all_timings;
  const std::vector<evaluate::Contender> contenders =
      contenders_for(timings, system, options, models);
  const evaluate::ContestOptions how = options.held_out.parsed();
  Progress progress(fmt::format("{} {}", system.name, name(timings.collective)),
                    evaluate::fits_of(contenders.size(), how), "fits");
  evaluate::Comparison contest = evaluate::run_contest(
      timings, system.mpi, contenders, how,
      [&](const evaluate::FittedChooser& fitted, const Timings& on, evaluate::ComparisonRow& row) {
        deploy(fitted, on, options.details, row);
      },
      [&] { progress.advance(); }, sessions);
  progress.finish();
  std::ranges::move(evaluate::noise_floor_rows({options.input.profile,
                                                load_options(options.input),
                                                system.name,
                                                contest.collective,
                                                {},
                                                contest.seed}),
                    std::back_inserter(contest.rows));
  if (!options.details) {
    for (evaluate::ComparisonRow& row : contest.rows) row.fit_ms.reset();
  }
  return contest;
}

// Judges the collectives that the other session has, too. A collective that was named must be
// there.
std::vector<evaluate::Comparison> contests_of(const SystemTimings& loaded,
                                              const CompareOptions& options,
                                              const std::vector<LoadedModel>& models) {
  std::vector<evaluate::Comparison> contests;
  std::string missing;
  for (const Timings& timings : loaded.timings) {
    if (auto contest = contest_of(timings, loaded.system, options, models)) {
      contests.push_back(std::move(*contest));
    } else {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name(timings.collective));
    }
  }
  if (missing.empty()) return contests;
  const std::string text = fmt::format("{}: has no timings of {}", *options.on, missing);
  if (contests.empty() || !options.input.collectives.empty()) throw Error(text);
  say(fmt::format("colltree: {}: left out\n", text));
  return contests;
}

void compare(CompareOptions options) {
  const profile::Profile profile(options.input.profile, profile::OpenMode::kRead);
  take_portable_of_pair(profile, options.input);
  if (options.only_models) return compare_only_models(options);
  const std::vector<LoadedModel> models = load_models(options.models);
  const SystemTimings loaded = load_system_timings(profile, options.input);
  const std::vector<evaluate::Comparison> contests = contests_of(loaded, options, models);
  const auto sources = load_source_gains(profile, options.input, loaded.system.name);
  if (options.input.json)
    return print_results("colltree/compare/1",
                         {{"system", loaded.system.name},
                          {"provenance", loaded.system.provenance},
                          {"mpi", loaded.system.mpi},
                          {"collectives", json_list(contests, evaluate::contest_json)},
                          {"sources", sources ? evaluate::source_gains_json(*sources) : Json()}});
  if (!options.output.empty())
    return write_or_print(options.output, evaluate::contests_csv(contests, loaded.system.name));
  fmt::print("{}\n", describe(loaded.system));
  for (const evaluate::Comparison& contest : contests)
    fmt::print("{}{}", evaluate::contest_text(contest, detail_of(options.details)),
               evaluate::no_noise_floor(loaded.timings, contest));
  if (!options.details)
    fmt::print(
        "Penalty: how much longer the choice takes than the best method of an instance, in %, with "
        "the 95 % interval of the\nmean. communicator_sizes, message_sizes, blocks: on held-out "
        "points, fitted to the others. --details prints more.\n");
  if (sources) fmt::print("{}", evaluate::source_gains_text(*sources));
}

constexpr const char* kCompareHelp =
    "Columns: leaves; bytes of the compact decision file; mean penalty in % with its 95 % "
    "bootstrap "
    "interval,\n'no run': instances where the choice has no time ('charged': the mean with the "
    "slowest method's time there), and\nthe maximum, on the points fitted to; mean penalty on "
    "held-out points, fitted on the rest; time to fit and to decide; 'predicted': instances\nwhose "
    "figures rest on times that were not measured; 'geomean': geometric mean of the times beside "
    "the best, minus 1; 'slower': share of the instances more than 2 %\nslower than the library's "
    "own choice. docs/tasks/judging.md says more.\nWith model files and none of --fit, --held-out, "
    "--on: only "
    "these, beside the default.\n--fit also takes loggp: the least time that the formulas expect "
    "(docs/tasks/predicting.md).\n\nFitters:\n";

}  // namespace

void declare_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  add_profile_options(app, options->input);
  app.add_option(
      "models", options->models,
      "models to compare with (M.json); or other profiles (Q.db), to set their times side by "
      "side");
  const CLI::Option* fit = app.add_option(
      "--fit", options->fitters,
      "the decision functions to fit and compare, separated by semicolons: "
      "'quadtree:max_depth=*; c45:weight=8,confidence=5' (default: one of every kind)");
  const CLI::Option* held_out = add_held_out_options(app, options->held_out);
  app.option_defaults()->group("Another session");
  const CLI::Option* on =
      app.add_option("--on", options->on,
                     "also judge what is fitted to this profile by the times of another "
                     "session (Q.db), with the methods that both have");
  app.option_defaults()->group("Output");
  app.add_flag("--details", options->details,
               "print every row and column of the tables, and time the decision functions");
  app.add_option("-o,--output", options->output,
                 "write CSV instead, a line for each decision function and kind of points; -: "
                 "standard output")
      ->check(output_file(true));
  app.footer(fmt::format("{}{}\n{}", kCompareHelp, model::fitter_help(), app.get_footer()));
  app.callback([options, fit, on, held_out] {
    if (are_profiles(options->models)) {
      if (!fit->empty() || !held_out->empty() || !on->empty() || !options->output.empty() ||
          options->details) {
        throw UsageError(
            "profiles side by side: --fit, --held-out, --on, --output and --details do not fit");
      }
      return compare_runs(options->input, options->models);
    }
    if (!options->output.empty() && options->input.json)
      throw UsageError("--output and --json: give one of them");
    options->only_models =
        !options->models.empty() && fit->empty() && held_out->empty() && on->empty();
    compare(*options);
  });
}

}  // namespace colltree::cli
