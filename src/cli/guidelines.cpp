// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate guidelines`: where the library's default, the choice of models and the best
// measured method are slower than other calls that do the same (docs/tasks/judging.md).
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "evaluate/guideline_report.h"
#include "model/model.h"

namespace colltree::cli {

namespace {

struct GuidelinesOptions {
  ProfileOptions input;
  std::vector<std::string> models;
  double tolerance = 0.05;
  std::size_t most_shown = 20;
};

// What replaces a call may be any other collective, so --collective does not say what is loaded.
SystemTimings load_all(const GuidelinesOptions& options) {
  ProfileOptions all = options.input;
  all.collectives.clear();
  return load_system_timings(all);
}

std::vector<Collective> asked_collectives(const GuidelinesOptions& options,
                                          const SystemTimings& loaded) {
  std::vector<Collective> asked;
  if (options.input.collectives.empty()) {
    for (const CollectiveInfo& info : all_collectives()) asked.push_back(info.collective);
    return asked;
  }
  asked = parse_collectives(options.input.collectives);
  std::vector<std::string_view> measured;
  for (const Timings& timings : loaded.timings) measured.push_back(name(timings.collective));
  for (const Collective one : asked) {
    if (std::ranges::count(measured, name(one)) > 0) continue;
    throw Error(fmt::format("{}: has no timings of {} on {}; it has {}", options.input.profile,
                            name(one), loaded.system.name, join(measured, ", ")));
  }
  return asked;
}

// Together they are one choice, so each decides for something here, and no two for one collective.
void check_models(const std::vector<LoadedModel>& models, const SystemTimings& loaded) {
  for (const LoadedModel& model : models) {
    SystemTimings known = loaded;
    keep_what_the_model_knows(model, known);
  }
  for (const CollectiveInfo& info : all_collectives()) {
    std::vector<std::string> deciding;
    for (const LoadedModel& model : models) {
      if (model.decides(info.collective)) deciding.push_back(model.path);
    }
    if (deciding.size() < 2) continue;
    throw Error(fmt::format("{}: all decide for {}; name one model for each collective",
                            join(deciding, ", "), info.name));
  }
}

// What no model decides for stays with the library.
evaluate::GuidelineChooser chosen_by(const std::vector<LoadedModel>& models) {
  return {"chosen", [models](const Timings& timings, std::size_t row) -> std::optional<Method> {
            for (const LoadedModel& model : models) {
              if (model.decides(timings.collective))
                return model.function->decide(timings.instances[row]);
            }
            return library_default();
          }};
}

void print_json(const evaluate::GuidelineReport& report, const profile::SystemInfo& system,
                const GuidelinesOptions& options) {
  Json json = evaluate::guideline_json(report);
  Json models = Json::array();
  for (const std::string& path : options.models) models.push_back(path);
  json.update({{"system", system.name}, {"provenance", system.provenance}, {"models", models}});
  fmt::print("{}", results_text("colltree/guidelines/1", json));
}

void print_text(const evaluate::GuidelineReport& report, const profile::SystemInfo& system,
                const GuidelinesOptions& options) {
  fmt::print("{}: guidelines broken by more than {:.4g} %\n", describe(system),
             100 * options.tolerance);
  if (!options.models.empty()) fmt::print("chosen: {}\n", join(options.models, ", "));
  fmt::print("\n{}", evaluate::guideline_text(report, options.most_shown));
}

void test(const GuidelinesOptions& options) {
  const SystemTimings loaded = load_all(options);
  const std::vector<Collective> asked = asked_collectives(options, loaded);
  const std::vector<LoadedModel> models = load_models(options.models);
  check_models(models, loaded);
  std::vector<evaluate::GuidelineChooser> choosers{evaluate::default_chooser()};
  if (!models.empty()) choosers.push_back(chosen_by(models));
  choosers.push_back(evaluate::best_chooser());
  const evaluate::GuidelineReport report =
      evaluate::report_guidelines(loaded.timings, choosers, asked, options.tolerance);
  options.input.json ? print_json(report, loaded.system, options)
                     : print_text(report, loaded.system, options);
}

constexpr const char* kGuidelinesHelp =
    "--collective: guidelines about these; what could replace them is taken from all that was "
    "measured.\nn: message size of the left side, p: ranks; a message or a block as in "
    "docs/glossary.md. certain: 'yes': also by\nthe ends of the times' 95 % intervals; 'no', ~: "
    "the intervals overlap; '?': a time has no interval (one\nsample). 'removed': kept by that "
    "choice; xN: still broken there; '-': it has no time there.";

}  // namespace

void declare_guidelines(CommandLine& line) {
  auto options = std::make_shared<GuidelinesOptions>();
  add_profile_options(line, options->input);
  line.add("models", options->models,
           "models (M.json), one for each collective, to judge as 'chosen'; a collective without a "
           "model keeps the library's own choice");
  line.add_percent("--tolerance", options->tolerance, limits::kPercentOfPenalty,
                   "a call may be slower than its replacement by this much, in percent")
      .show_default("5%");
  line.add("--most", options->most_shown, {0, 1000000},
           "largest number of violations of each to show")
      .show_default();
  line.set_footer(fmt::format("{}\n\n{}", kGuidelinesHelp, line.footer()));
  line.set_work([options] { test(*options); });
}

}  // namespace colltree::cli
