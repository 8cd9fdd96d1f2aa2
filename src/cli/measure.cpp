// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/command.h"
#include "cli/measure_options.h"

namespace colltree {

namespace {

struct MeasureCommandOptions : MeasureOptions {
  std::string output;
  bool json = false;
};

void run_measure(const MeasureCommandOptions& options) {
  const CampaignRequest request = options.make_request();
  const std::unique_ptr<Driver> driver = options.make_driver();
  static_cast<void>(plan_cells(request));  // a request that cannot be must not leave a profile
  Profile profile(options.output, OpenMode::kWrite);
  const CampaignOutcome outcome = run_campaign(request, *driver, profile);
  if (options.json) {
    const Json json = {{"profile", options.output},    {"system", outcome.system},
                       {"cells", outcome.wanted},      {"already", outcome.already},
                       {"measured", outcome.measured}, {"disturbed", outcome.disturbed},
                       {"failed", outcome.failed},     {"not_applicable", outcome.not_applicable}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}: system {}: {}\n", options.output, outcome.system, outcome_text(outcome));
}

}  // namespace

void declare_measure(CommandLine& line) {
  auto options = std::make_shared<MeasureCommandOptions>();
  options->declare(line);
  line.add_output("-o,--output", options->output, "profile; an existing one is continued")
      .required();
  line.add_flag("--json", options->json, "print JSON");
  line.set_work([options] { run_measure(*options); });
}

}  // namespace colltree
