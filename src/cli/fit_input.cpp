// SPDX-License-Identifier: BSD-3-Clause
#include "cli/fit_input.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "profile/load_timings.h"

namespace colltree {

void add_fit_options(CommandLine& line, FitInput& input) {
  line.add("profile", input.profile, "profile (P.db)").required();
  line.add("--collective", input.collectives, "comma list of collectives").required();
  line.add("--system", input.system, "which system, when the profile holds several");
  line.add_output("-o,--output", input.output, "the model, M.json").required();
  line.add_flag("--json", input.json, "print the statistics as JSON");
}

std::vector<Timings> load_fit_timings(const FitInput& input) {
  if (!input.output.empty()) check_writable(input.output);
  const Profile profile(input.profile, OpenMode::kRead);
  const std::string system = profile.require_system(input.system).name;
  std::vector<Timings> timings;
  for (const Collective collective : parse_collectives(input.collectives)) {
    timings.push_back(load_timings(profile, system, collective));
  }
  return timings;
}

namespace {

void print_penalty(const std::string& what, const Json& penalty) {
  if (!penalty.at("mean").is_number()) return;
  const auto percent = [&](const char* field) { return 100 * penalty.at(field).get<double>(); };
  fmt::print(
      "  {}: mean {:.2f} %, median {:.2f} %, max {:.2f} %, {:.1f} % of instances above 50 %\n",
      what, percent("mean"), percent("median"), percent("max"), percent("share_above_50"));
}

}  // namespace

void save_and_report(const DecisionFunction& model, const FitInput& input) {
  save_model(model, input.output);
  const Json statistics = model.statistics();
  if (input.json) {
    Json report = {{"model", input.output},
                   {"kind", model.kind()},
                   {"system", model.origin().system},
                   {"instances", model.origin().instances},
                   {"parameters", model.parameters()}};
    report.update(statistics);
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{} of {} on {}: {} instances -> {}\n", model.kind(), input.collectives,
             model.origin().system, model.origin().instances, input.output);
  fmt::print("  {} leaves, {} nodes, depth {} at most, {:.2f} mean\n",
             statistics.at("leaves").dump(), statistics.at("nodes").dump(),
             statistics.at("max_depth").dump(), statistics.at("mean_depth").get<double>());
  if (statistics.contains("performance_penalty")) {
    print_penalty("performance penalty", statistics["performance_penalty"]);
  }
  const Json by_collective = statistics.value("performance_penalty_by_collective", Json::object());
  for (const auto& [collective, penalty] : by_collective.items()) {
    print_penalty("of " + collective, penalty);
  }
  const std::uint64_t cannot_run = statistics.value("cannot_run", std::uint64_t{0});
  if (cannot_run > 0) {
    fmt::print("  at {} instances the model asks for a method that was not measured there\n",
               cannot_run);
  }
}

}  // namespace colltree
