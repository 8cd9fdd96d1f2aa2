// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune`: measures, fits, evaluates and emits; tune_summary.h prints the result. --dry-run
// prints the cost instead.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "cli/loaded_models.h"
#include "cli/measure_options.h"
#include "cli/profile_options.h"
#include "cli/tune_by_jobs.h"
#include "cli/tune_summary.h"
#include "deploy/tuning.h"
#include "evaluate/runs.h"
#include "measure/estimate.h"
#include "measure/grid.h"
#include "timings/call_mix.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUsualSessions = 1;

struct TuneOptions : MeasureOptions {
  std::string output;
  std::string profile;  // "": in the folder
  double caution = deploy::TuningRequest{}.caution;
  std::string beyond;
  std::uint64_t sessions = kUsualSessions;
  bool reproducible = false;
  bool dry_run = false;
  bool details = false;
  bool json = false;
  BatchOptions batch;

  // Verification can fall back to the library's own choice, which has no known order of sums.
  bool verifies() const { return platform.empty() && sessions > 0 && !reproducible; }
};

// "4" or, with the hours between two of them, "4:12".
void take_sessions(const std::string& text, TuneOptions& options) {
  constexpr WholeRange kSessions{0, evaluate::kMostSessions};
  constexpr RealRange kHours{0, 720};
  const std::size_t colon = std::min(text.find(':'), text.size());
  options.sessions = parse_whole(text.substr(0, colon), kSessions, "--sessions");
  if (colon < text.size())
    options.batch.spread_h = parse_real(text.substr(colon + 1), kHours, "--sessions");
}

TunedIn where(const TuneOptions& options) {
  return {options.output, options.profile, options.launcher, options.flavour()};
}

void check(const TuneOptions& options) {
  if (!options.beyond.empty()) deploy::parse_beyond(options.beyond);
  if (options.sessions > 1 && !options.verifies())
    throw UsageError(
        "--sessions: divides the verification, which --platform and --reproducible "
        "leave out");
  if (options.batch.spread_h && (options.sessions < 2 || !options.batch.asked()))
    throw UsageError("--sessions: hours between sessions go with two and more, and with --batch");
  if (!options.reproducible) return;
  if (options.source != "portable")
    throw UsageError("--reproducible: takes --source portable, whose order of sums is known");
  if (options.beyond == "default")
    throw UsageError(
        "--reproducible: takes --beyond nearest or predicted: the library's own choice "
        "has no order of sums");
}

deploy::Tuning tune_one(const TuneOptions& options, const measure::CampaignRequest& campaign,
                        const measure::Driver& driver,
                        std::function<void()> about_to_measure = nullptr) {
  std::optional<measure::JobStarter> verifier;
  if (!options.launcher.empty() && options.verifies())
    verifier.emplace(options.launcher, options.flavour());
  const std::string usual = options.reproducible ? "nearest" : "";
  const std::string& asked = options.beyond.empty() ? usual : options.beyond;
  const auto beyond = asked.empty() ? std::nullopt : std::optional(deploy::parse_beyond(asked));
  const auto calls = options.mix.empty() ? std::vector<CallCount>() : load_call_mix(options.mix);
  const deploy::TuningRequest request{campaign,
                                      options.output,
                                      options.profile,
                                      options.caution,
                                      beyond,
                                      options.reproducible,
                                      verifier ? &*verifier : nullptr,
                                      std::max<std::uint64_t>(1, options.sessions),
                                      calls,
                                      std::move(about_to_measure)};
  return deploy::tune(request, driver);
}

// Nothing of what was fitted is written before its verification is complete.
void require_verified(const std::string& folder, const deploy::Tuning& tuning) {
  if (tuning.rounds_left == 0) return;
  throw Unfinished(fmt::format(
      "{}: {} rounds of the verification are left for other sessions; rerun the same command later",
      folder, tuning.rounds_left));
}

// The verdict lies beside the tuning, for `report` and for later readers.
std::vector<std::string> store_verdict(const TuneOptions& options, const deploy::Tuning& tuning) {
  std::vector<std::string> verdict = verdict_lines(where(options), tuning);
  write_file(fs::path(options.output) / kVerdictFile, join(verdict, "\n") + "\n");
  return verdict;
}

// Each source has a folder of models, and the profile of both lies above these folders.
TuneOptions one_of_both(const TuneOptions& options, const MeasureOptions& source) {
  TuneOptions tuned = options;
  static_cast<MeasureOptions&>(tuned) = source;
  tuned.output = (fs::path(options.output) / source.source).string();
  tuned.profile = (fs::path(options.output) / "profile.db").string();
  return tuned;
}

// Both sources are measured in one job, and then each is tuned alone from the stored times.
void run_tune_both(const TuneOptions& options) {
  const BothSources both(options);
  make_folder(options.output);
  say(fmt::format("measuring into {}: {} of the library's own algorithms, {} of ours\n",
                  options.output,
                  measure::estimate_text(measure::estimate(both.library, *both.library_driver)),
                  measure::estimate_text(measure::estimate(both.portable, *both.portable_driver))));
  {
    profile::Profile profile(fs::path(options.output) / "profile.db", profile::OpenMode::kWrite);
    both.measure(profile);
  }
  const TuneOptions portable_options = one_of_both(options, options.of_portable());
  const TuneOptions library_options = one_of_both(options, options.of_library());
  const deploy::Tuning portable = tune_one(portable_options, both.portable, *both.portable_driver);
  const deploy::Tuning library = tune_one(library_options, both.library, *both.library_driver);
  require_verified(portable_options.output, portable);
  require_verified(library_options.output, library);
  const auto portable_verdict = store_verdict(portable_options, portable);
  const auto library_verdict = store_verdict(library_options, library);
  const ProfileOptions input{.profile = portable_options.profile};
  const auto sources = load_source_gains(profile::Profile(input.profile, profile::OpenMode::kRead),
                                         input, portable.system.name);
  if (options.json)
    return print_results(
        "colltree/tune-both/1",
        {{"portable", tuning_json(where(portable_options), portable, portable_verdict)},
         {"library", tuning_json(where(library_options), library, library_verdict)},
         {"sources", sources ? evaluate::source_gains_json(*sources) : Json()}});
  print_tuning(where(portable_options), portable, portable_verdict, options.details);
  print_tuning(where(library_options), library, library_verdict, options.details);
  if (sources) fmt::print("\n{}", evaluate::source_gains_text(*sources));
}

// The estimates of the sources, in the order in which they are measured.
std::vector<measure::CampaignEstimate> estimates(const TuneOptions& options) {
  std::vector<measure::CampaignEstimate> expected;
  for (const MeasureOptions& source : options.sources()) {
    const std::unique_ptr<measure::Driver> driver = source.make_driver();
    expected.push_back(measure::estimate(source.make_request(), *driver));
    if (options.json) continue;
    for (const measure::Setting& setting : driver->settings())
      fmt::print("setting {}: {}\n", setting.name, join(setting.variables, " "));
  }
  return expected;
}

Json estimate_json(const measure::CampaignEstimate& estimate) {
  Json json = {{"cells", estimate.cells}, {"seconds", estimate.seconds}};
  json["most_seconds"] = estimate.most_seconds > 0 ? Json(estimate.most_seconds) : Json();
  if (estimate.first_cells > 0)
    json.update({{"first_cells", estimate.first_cells}, {"first_seconds", estimate.first_seconds}});
  return json;
}

void dry_run(const TuneOptions& options) {
  Json json = Json::array();
  for (const measure::CampaignEstimate& estimate : estimates(options)) {
    json.push_back(estimate_json(estimate));
    if (!options.json)
      fmt::print("{}: {}{}\n", options.output, measure::estimate_text(estimate),
                 options.launcher.empty() ? "" : "; starting jobs and verifying take further time");
  }
  if (options.json) print_results("colltree/tune-estimate/1", json);
}

void run_tune(const TuneOptions& options) {
  check(options);
  if (options.dry_run) return dry_run(options);
  if (options.has_both_sources()) return run_tune_both(options);
  const std::unique_ptr<measure::Driver> driver = options.make_driver();
  const measure::CampaignRequest request = options.make_request();
  const deploy::Tuning tuning = tune_one(options, request, *driver, [&] {
    say(fmt::format("measuring into {}: {}\n", options.output,
                    measure::estimate_text(measure::estimate(request, *driver))));
  });
  require_verified(options.output, tuning);
  const auto verdict = store_verdict(options, tuning);
  if (options.json) {
    Json json = tuning_json(where(options), tuning, verdict);
    if (tuning.setting) {
      json["settings"] = evaluate::settings_json(tuning.setting->contest);
      if (tuning.setting->is_plain()) json["settings"]["chosen"] = measure::kPlainSetting;
    }
    return print_results("colltree/tune/1", json);
  }
  print_tuning(where(options), tuning, verdict, options.details);
  if (tuning.setting && options.details)
    fmt::print("\n{}", evaluate::settings_text(tuning.setting->contest));
}

std::shared_ptr<TuneOptions> declare_options(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  app.add_option("-o,--output", options->output,
                 "folder for the profile, the models and the C code; an existing one is continued")
      ->required();
  options->declare(
      app,
      "with --platform: number of simulations at once (default: one for each core); with "
      "--batch: number of jobs that measure one after the other (default 1)");
  app.option_defaults()->group("What is deployed");
  app.add_option("--caution", options->caution,
                 "how many times an expected loss against the library's own choice counts more")
      ->transform(real_number(model::kCautionRange))
      ->capture_default_str();
  app.add_option(
      "--beyond", options->beyond,
      "on more ranks than were measured: default (the library's own choice), nearest (as on "
      "the most ranks measured) or predicted:RANKS (by formulas, up to this many ranks) "
      "(default: default on real machines, nearest when simulated)");
  app.add_option_function<std::string>(
         "--sessions",
         [options = options.get()](const std::string& text) { take_sessions(text, *options); },
         "divide the measurement of the fitted decision function beside the library over this many "
         "runs of the command at different times, so that its intervals hold how far sessions "
         "differ; with --batch over as many jobs, 24 hours apart, or as many as stand behind a "
         "colon: 4:12; 0: deploy without that verification")
      ->type_name("N[:HOURS]")
      ->default_str(fmt::to_string(kUsualSessions));
  add_reproducible_option(app, options->reproducible);
  app.option_defaults()->group("Batch systems and dry runs");
  options->batch.declare(app);
  app.add_flag("--dry-run", options->dry_run,
               "measure nothing: print the number of cells, the expected time and what --budget "
               "buys; with --batch write the jobs' script and print how they are submitted");
  app.option_defaults()->group("Output");
  app.add_flag("--details", options->details, kDetailsHelp);
  app.add_flag("--json", options->json, "print the results as JSON");
  return options;
}

TuneByJobs by_jobs(TuneOptions& options) {
  check(options);
  if (const auto allocation = options.batch.allocation();
      allocation && options.communicator_sizes.is_auto() && !runs_in_job()) {
    say(fmt::format("colltree: --communicator-sizes auto: {}\n",
                    measure::allocation_text(*allocation)));
    options.communicator_sizes.sizes = measure::usual_communicator_sizes(*allocation);
  }
  return {options.batch, options, words_of_run(), options.output,
          options.verifies() ? options.sessions : 0};
}

}  // namespace

void declare_tune(CLI::App& app) {
  const auto options = declare_options(app);
  app.callback([options] {
    if (!options->batch.asked()) return run_tune(*options);
    const TuneByJobs jobs = by_jobs(*options);
    if (runs_in_job()) return tune_in_job(jobs, *options, [options] { run_tune(*options); });
    options->dry_run ? plan_jobs(jobs) : tune_by_jobs(jobs);
  });
}

}  // namespace colltree::cli
