// SPDX-License-Identifier: BSD-3-Clause
// `colltree show`: the content of a profile and its origin; maps, penalties and trees in the
// terminal; the calls of a recorded job; a deployed file.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/loaded_models.h"
#include "cli/profile_options.h"
#include "cli/show_drawings.h"
#include "cli/show_folder.h"
#include "cli/show_record.h"
#include "cli/show_rules.h"
#include "colltree/decision.h"
#include "profile/overview.h"

namespace colltree::cli {

namespace {

// Prints the file's collectives, its methods and how it holds them. Throws Error.
void show_compact(const std::string& path) {
  char error[512];
  const std::unique_ptr<colltree_decision, decltype(&colltree_decision_free)> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (decision == nullptr) throw Error(error);
  std::string text(colltree_decision_describe(decision.get(), nullptr, 0) + 1, '\0');
  colltree_decision_describe(decision.get(), text.data(), text.size());
  text.pop_back();
  fmt::print("{}: compact decision file\n{}", path, text);
  if (!text.ends_with('\n')) fmt::print("\n");
}

struct ShowOptions {
  DrawingOptions drawings;
  bool parameters = false;
  bool watch = false;
  std::string profile;  // for a record
};

// A model is JSON, and a profile is not.
bool is_model(const std::string& path) {
  std::error_code absent;
  const auto kind = std::filesystem::status(path, absent).type();
  // A look into a pipe would take the first byte away; a profile cannot be one.
  if (kind != std::filesystem::file_type::regular) return kind == std::filesystem::file_type::fifo;
  char first = 0;
  std::ifstream(path) >> first;  // behind blanks
  return first == '{';
}

// Keeps only these collectives. Throws Error if no system has one of them.
void keep(const std::vector<Collective>& wanted, const std::string& profile,
          std::vector<profile::SystemOverview>& systems) {
  const auto unwanted = [&](Collective collective) {
    return std::ranges::count(wanted, collective) == 0;
  };
  const auto cell_unwanted = [&](const profile::Cell& cell) {
    return unwanted(cell.key.instance.collective);
  };
  std::vector<Collective> missing = wanted;
  for (profile::SystemOverview& system : systems) {
    std::erase_if(system.collectives, [&](const auto& entry) { return unwanted(entry.first); });
    std::erase_if(system.not_ok, cell_unwanted);
    std::erase_if(system.disturbed, cell_unwanted);
    std::erase_if(missing,
                  [&](Collective collective) { return system.collectives.contains(collective); });
  }
  if (!missing.empty())
    throw Error(fmt::format("{}: has no timings of {}", profile, name(missing.front())));
}

void show_overview(const ProfileOptions& options) {
  const profile::Profile profile(options.profile, profile::OpenMode::kRead);
  std::vector<profile::SystemOverview> systems = profile::overview(profile, options.system);
  if (!options.collectives.empty())
    keep(parse_collectives(options.collectives), options.profile, systems);
  Json json = Json::array();
  for (const profile::SystemOverview& system : systems) {
    if (options.json) {
      json.push_back(profile::overview_json(system));
    } else {
      fmt::print("{}", profile::overview_text(system));
    }
  }
  if (options.json) print_results("colltree/profile/1", json);
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
}

void refuse_what_does_not_fit(const ShowOptions& options, bool is_profile) {
  const DrawingOptions& drawings = options.drawings;
  const ProfileOptions& wanted = drawings.timings;
  const bool is_map_alone = is_profile && drawings.map && !drawings.penalty && !drawings.tree;
  if (!drawings.output.empty() && !is_map_alone)
    throw UsageError("--output: writes the maps of a profile: colltree show P.db --map -o F.csv");
  if (!options.profile.empty()) throw UsageError("--on: goes with a record of calls");
  if (wanted.json && !is_map_alone && (!is_profile || drawings.penalty || drawings.tree))
    throw UsageError("--json: prints what a profile holds or, with --map, its decision maps");
}

void show(const ShowOptions& options) {
  const DrawingOptions& drawings = options.drawings;
  const ProfileOptions& wanted = drawings.timings;
  const bool drawn = drawings.map || drawings.penalty || drawings.tree || wanted.reproducible;
  const bool has_models = !drawings.models.empty() || !drawings.fitters.empty();
  std::error_code absent;
  const bool is_folder = std::filesystem::is_directory(wanted.profile, absent);
  if (options.watch && !is_folder)
    throw UsageError("--watch: goes with the folder of a tuning: colltree show FOLDER --watch");
  if (is_folder) {
    if (drawn || has_models || options.parameters || wanted.json || !options.profile.empty() ||
        wanted.system || !wanted.collectives.empty() || !drawings.output.empty())
      throw UsageError(fmt::format(
          "{0}: a folder is shown as it is; other options go with {0}/profile.db", wanted.profile));
    return show_folder(wanted.profile, options.watch);
  }
  if (options.parameters) {
    if (drawn || has_models || is_record_file(wanted.profile) || is_model(wanted.profile))
      throw UsageError("--parameters: goes with a profile alone: colltree show P.db --parameters");
    return show_network_parameters(wanted);
  }
  if (is_record_file(wanted.profile)) {
    if (drawn || has_models || !drawings.output.empty() || !wanted.collectives.empty())
      throw UsageError("a record has neither maps nor models: colltree show RECORD --on P.db");
    return show_record({wanted.profile, options.profile, wanted.system, wanted.json});
  }
  const bool compact = is_compact(wanted.profile);
  if (compact || is_rules_file(wanted.profile)) {
    if (drawn || has_models || !options.profile.empty() || !drawings.output.empty() ||
        !wanted.collectives.empty())
      throw UsageError(fmt::format(
          "{}: what is deployed has neither maps nor models: colltree show FILE", wanted.profile));
    if (compact && wanted.json)
      throw UsageError("--json: a compact decision file is shown as text: colltree show F.cdt");
    return compact ? show_compact(wanted.profile) : show_rules(wanted.profile, wanted.json);
  }
  const bool model = is_model(wanted.profile);
  refuse_what_does_not_fit(options, !model);
  if (model) return draw_models(drawings);
  if (drawn || has_models) return draw_profile(drawings);
  if (wanted.ranks_per_node != 0 || wanted.external || wanted.without_default ||
      wanted.time != ProfileOptions().time)
    throw UsageError(
        "--ranks-per-node, --time, --external, --without-default: go with --map, --penalty or "
        "--tree");
  show_overview(wanted);
}

}  // namespace

void declare_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  DrawingOptions& drawings = options->drawings;
  app.add_option(
         "file", drawings.timings.profile,
         "a profile (P.db), a model (M.json), a compact decision file (F.cdt), a rules file of a "
         "library, a record of calls, or the folder of a tuning")
      ->required();
  app.add_flag("--map", drawings.map,
               "draw decision maps: the best method at every instance, and what models choose; in "
               "colours on a terminal, with CLICOLOR_FORCE elsewhere too, with NO_COLOR never");
  app.add_flag("--penalty", drawings.penalty, "draw where the default and the models lose");
  app.add_flag("--tree", drawings.tree, "draw the models as trees");
  app.add_flag(
      "--json", drawings.timings.json,
      "print JSON: what a profile, a record of calls or a rules file holds; with --map the "
      "decision maps");
  app.add_option("-o,--output", drawings.output,
                 "with --map: also write the best method at every instance as CSV")
      ->check(output_file());
  app.add_option("models", drawings.models, "models to draw beside it (M.json)");
  app.add_option("--fit", drawings.fitters,
                 "models to fit to the profile and draw, separated by spaces: "
                 "'quadtree:max_depth=3 c45:weight=40,confidence=5 optimal:leaves=10'");
  add_timing_options(app, drawings.timings);
  add_reproducible_option(app, drawings.timings.reproducible);
  app.option_defaults()->group("More");
  app.add_flag("--watch", options->watch,
               "for the folder of a tuning: print again what was stored, until nothing measures");
  app.add_flag("--parameters", options->parameters,
               "print the parameters of the network model LogGP that the profile gives");
  app.add_option("--on", options->profile,
                 "for a record of calls: say what the best methods of this profile would save");
  app.callback([options] { show(*options); });
}

}  // namespace colltree::cli
