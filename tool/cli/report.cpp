// SPDX-License-Identifier: BSD-3-Clause
// `colltree report`: the data of a page for people, and the page by the Python package
// (docs/tasks/looking.md).

#include "report/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/loaded_models.h"
#include "cli/profile_options.h"
#include "cli/python_page.h"
#include "cli/tune_verdict.h"
#include "evaluate/policy.h"
#include "model/optimal/cost_cube.h"
#include "report/command_lines.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

// What can be fitted: the model that `tune` would deploy, and optimal trees.
constexpr const char* kUsualFitters = "deployed optimal:leaves=32";

struct ReportOptions {
  ProfileOptions input;
  std::vector<std::string> models;
  std::string output;
  std::string fitters = kUsualFitters;
  std::string on;  // another profile to compare with
};

// The command line again, so that the page can say how it was made.
std::string command_of(const ReportOptions& options) {
  std::string command = "colltree report " + report::shell_word(options.input.profile);
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" {} {}", option, report::shell_word(value));
  };
  if (options.input.system) add("--system", *options.input.system);
  if (!options.input.collectives.empty()) add("--collective", options.input.collectives);
  if (options.input.time != "median") add("--time", options.input.time);
  if (options.input.external) command += " --external";
  for (const std::string& model : options.models) add("--model", model);
  if (options.fitters != kUsualFitters) add("--fit", options.fitters);
  if (!options.on.empty()) add("--on", options.on);
  if (!options.output.empty()) add("-o", options.output);
  return command;
}

// `tune` calls its profile so and leaves its verdict beside it; where it tuned both sources, one in
// the folder of the source. Other profiles may lie beside folders of tunings that are not theirs.
std::string verdict_beside(const std::string& profile) {
  constexpr const char* kProfileFile = "profile.db";
  if (fs::path(profile).filename() != kProfileFile) return "";
  const fs::path folder = fs::absolute(profile).parent_path();
  std::set<fs::path> files{folder / kVerdictFile};
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    if (!fs::exists(entry.path() / kProfileFile, unreadable))
      files.insert(entry.path() / kVerdictFile);
  }
  std::string text;
  for (const fs::path& file : files) {
    if (fs::is_regular_file(file, unreadable)) text += read_text(file, kMostModelBytes);
  }
  return text;
}

void take_fitters(const std::string& fitters, report::ReportInput& input) {
  constexpr std::string_view kOptimal = "optimal:leaves=";
  for (const std::string_view word : split(fitters, ' ')) {
    if (word == "deployed") {
      input.deployed = true;
    } else if (word.starts_with(kOptimal)) {
      input.most_leaves = parse_whole(word.substr(kOptimal.size()), optimal::kLeavesRange, "--fit");
    } else {
      throw UsageError(
          fmt::format("--fit: expected deployed or optimal:leaves=16, or both separated by a "
                      "blank, got '{}'",
                      fitters));
    }
  }
}

report::ReportInput input_of(ReportOptions options) {
  const profile::Profile profile(options.input.profile, profile::OpenMode::kRead);
  take_portable_of_pair(profile, options.input);
  SystemTimings loaded = load_system_timings(profile, options.input);
  report::ReportInput input{
      .profile = options.input.profile,
      .command = command_of(options),
      .overview = profile::overview(profile, loaded.system.name).front(),
      .timings = std::move(loaded.timings),
      .is_undecided = !evaluate::why_undecided(profile, loaded.system.name).empty(),
      .verdict = verdict_beside(options.input.profile)};
  take_fitters(options.fitters, input);
  for (LoadedModel& model : load_models(options.models)) {
    SystemTimings known{loaded.system, input.timings};
    keep_what_the_model_knows(model, known);
    input.models.push_back({model.path, std::move(model.function)});
  }
  input.source_gains = load_source_gains(profile, options.input, loaded.system.name);
  return input;
}

Json data_of(const ReportOptions& options) {
  // Before the long work, because the other profile may be a wrong one.
  Json comparison;
  if (!options.on.empty()) comparison = compared_runs_json(options.input, {options.on});
  Json data = report::make_report(input_of(options));
  if (!comparison.is_null()) data["comparison"] = std::move(comparison);
  if (options.input.json) fmt::print("{}\n", data.dump());
  return data;
}

void report(const ReportOptions& options) {
  if (options.output.empty() && !options.input.json) {
    throw UsageError("give -o report.html for the page, or --json for its data alone");
  }
  if (options.output.empty()) {
    data_of(options);
    return;
  }
  check_writable(options.output);
  const std::string page = page_by_python([&] { return data_of(options); });
  write_file(options.output, page);
  if (!options.input.json) {
    fmt::print("{}: {:.1f} MB; open it in a browser, it needs nothing else\n", options.output,
               static_cast<double>(page.size()) / 1e6);
  }
}

}  // namespace

void declare_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  add_profile_options(app, options->input);
  app.add_option("--model", options->models, "models to show beside the optimal trees (M.json)");
  app.add_option("--fit", options->fitters,
                 "models to fit, separated by a blank: deployed, the one that 'colltree tune' "
                 "would deploy, which takes longest to find; optimal:leaves=N, the optimal trees "
                 "of the page's slider")
      ->capture_default_str();
  app.add_option(
      "--on", options->on,
      "another profile (Q.db), of another day or library, whose times the page compares with");
  app.add_option("-o,--output", options->output, "the page (F.html)")->check(output_file());
  app.callback([options] { report(*options); });
}

}  // namespace colltree::cli
