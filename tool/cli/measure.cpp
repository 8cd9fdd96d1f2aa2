// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/measure_options.h"

namespace colltree::cli {

namespace {

struct MeasureCommandOptions : MeasureOptions {
  std::string output;
  bool json = false;
};

Json outcome_json(const std::string& profile, const measure::CampaignOutcome& outcome) {
  Json json = {{"profile", printable(profile)}, {"system", outcome.system},
               {"cells", outcome.wanted},       {"already", outcome.already},
               {"measured", outcome.measured},  {"disturbed", outcome.disturbed},
               {"failed", outcome.failed},      {"not_applicable", outcome.not_applicable}};
  if (outcome.predicted > 0) json["predicted"] = outcome.predicted;
  if (!outcome.stopped.empty()) json["stopped"] = outcome.stopped;
  return json;
}

void print_outcome(const std::string& profile, const measure::CampaignOutcome& outcome) {
  fmt::print("{}: system {}: {}\n", profile, outcome.system, measure::outcome_text(outcome));
}

void run_measure_both(const MeasureCommandOptions& options) {
  const BothSources both(options);
  profile::Profile profile(options.output, profile::OpenMode::kWrite);
  const measure::BothOutcomes outcomes = both.measure(profile);
  if (options.json)
    return print_results("colltree/measure/1",
                         Json::array({outcome_json(options.output, outcomes.library),
                                      outcome_json(options.output, outcomes.portable)}));
  print_outcome(options.output, outcomes.library);
  print_outcome(options.output, outcomes.portable);
}

void run_measure(const MeasureCommandOptions& options) {
  if (options.has_both_sources()) return run_measure_both(options);
  const measure::CampaignRequest request = options.make_request();
  const std::unique_ptr<measure::Driver> driver = options.make_driver();
  static_cast<void>(
      measure::plan_cells(request));  // a request that cannot be must not leave a profile
  profile::Profile profile(options.output, profile::OpenMode::kWrite);
  const measure::CampaignOutcome outcome = measure::run_campaign(request, *driver, profile);
  if (options.json)
    return print_results("colltree/measure/1", outcome_json(options.output, outcome));
  print_outcome(options.output, outcome);
}

}  // namespace

void declare_measure(CLI::App& app) {
  auto options = std::make_shared<MeasureCommandOptions>();
  app.add_option("-o,--output", options->output, "the profile; an existing one is continued")
      ->check(output_file())
      ->required();
  options->declare(app);
  app.option_defaults()->group("Output");
  app.add_flag("--json", options->json, "print the results as JSON");
  app.callback([options] { run_measure(*options); });
}

}  // namespace colltree::cli
