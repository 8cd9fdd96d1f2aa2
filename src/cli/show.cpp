// SPDX-License-Identifier: BSD-3-Clause
// `colltree show`: what a profile holds and where it comes from; maps, penalties and trees in the
// terminal; what a recorded job called; what is deployed.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/loaded_models.h"
#include "cli/plot.h"
#include "cli/show_record.h"
#include "cli/show_rules.h"
#include "colltree/decision.h"
#include "emit/emitter.h"
#include "model/model.h"
#include "profile/overview.h"
#include "report/method_maps.h"
#include "report/terminal.h"
#include "timings/decision_map.h"

namespace colltree::cli {

namespace {

// What a compact decision file decides for, its methods and how it holds them. Throws Error.
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
  PlotInput input;
  bool map = false;
  bool penalty = false;
  bool tree = false;
  bool parameters = false;
  std::string colour = "auto";
  std::string profile;  // for a record
  std::string output;   // "" = maps are not written
};

// Only these collectives. Throws Error when no system has one of them.
void keep(const std::vector<Collective>& wanted, const std::string& profile,
          std::vector<profile::SystemOverview>& systems) {
  const auto unwanted = [&](Collective one) { return std::ranges::count(wanted, one) == 0; };
  const auto cell_unwanted = [&](const profile::Cell& cell) {
    return unwanted(cell.key.instance.collective);
  };
  std::vector<Collective> missing = wanted;
  for (profile::SystemOverview& system : systems) {
    std::erase_if(system.collectives, [&](const auto& entry) { return unwanted(entry.first); });
    std::erase_if(system.not_ok, cell_unwanted);
    std::erase_if(system.disturbed, cell_unwanted);
    std::erase_if(missing, [&](Collective one) { return system.collectives.contains(one); });
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
  if (options.json) fmt::print("{}", results_text("colltree/profile/1", json));
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
}

// The best methods as a table: one header, a line for each instance.
void write_map_csv(const std::vector<DecisionMap>& maps, const std::string& path) {
  std::string text;
  for (const DecisionMap& map : maps) {
    const std::string csv = map_csv(map);
    text += text.empty() ? csv : csv.substr(csv.find('\n') + 1);
  }
  write_file(path, text);
}

void print_map_json(const std::vector<DecisionMap>& maps, const profile::SystemInfo& system) {
  Json json = {{"system", system.name}, {"provenance", system.provenance}, {"maps", Json::array()}};
  for (const DecisionMap& map : maps) json["maps"].push_back(map_json(map));
  fmt::print("{}", results_text("colltree/maps/1", json));
}

void show_map(const std::string& title, const report::MethodMap& map,
              const report::Terminal& terminal) {
  fmt::print("{}\n{}", title, report::terminal_map(map, terminal));
}

void show_penalty(const std::string& title, const Timings& timings, const PenaltyPoints& points,
                  const report::Terminal& terminal) {
  fmt::print("{}: penalty {}\n{}", title, report::penalty_text(summarize(points)),
             report::terminal_penalty(report::penalty_map(timings, points), terminal));
}

void show_tree(const PlotChooser& chooser, const report::Terminal& terminal) {
  fmt::print("{}: {}\n{}", chooser.name, emit::describe(*chooser.function),
             report::terminal_tree(emit::tree_to_emit(*chooser.function, {}), terminal));
}

// Of one collective: the best methods and the default's penalty, then each model.
void show_timings(const ShowOptions& options, const Timings& timings,
                  const report::Terminal& terminal) {
  const std::string what = what_of(timings);
  if (options.map) show_map(what + ": best methods", report::exact_map(timings), terminal);
  const PenaltyPoints by_default = default_penalty_points(timings);
  if (options.penalty && !by_default.at.empty())
    show_penalty(what + ": default", timings, by_default, terminal);
  for (const PlotChooser& chooser : choosers_for(options.input, timings)) {
    const auto choose = [&](const Instance& at) { return chooser.function->decide(at); };
    const std::string title = fmt::format("{}: {}", what, chooser.name);
    if (options.map) show_map(title, report::chosen_map(timings, choose), terminal);
    if (options.penalty)
      show_penalty(title, timings, model::penalty_points(timings, *chooser.function), terminal);
    if (options.tree) show_tree(chooser, terminal);
  }
}

void show_models(const ShowOptions& options, const report::Terminal& terminal) {
  if (options.penalty) {
    throw UsageError("--penalty: needs the profile first, then models: colltree show P.db M.json");
  }
  std::vector<std::string> paths = {options.input.timings.profile};
  paths.insert(paths.end(), options.input.models.begin(), options.input.models.end());
  for (const PlotChooser& chooser : load_choosers(paths)) {
    if (options.tree || !options.map) show_tree(chooser, terminal);
    if (!options.map) continue;
    for (const Collective collective : chooser.function->origin.collectives) {
      show_map(fmt::format("{}: {}", chooser.name, name(collective)),
               report::chosen_map(*chooser.function, collective), terminal);
    }
  }
}

// A profile's maps, penalties and models.
void show_drawings(const ShowOptions& options, const report::Terminal& terminal) {
  const ProfileOptions& wanted = options.input.timings;
  const bool has_models = !options.input.models.empty() || !options.input.fitters.empty();
  if (options.tree && !has_models)
    throw UsageError("--tree: draws models: add M.json, or fit one with --fit");
  const SystemTimings loaded = load_system_timings(wanted);
  std::vector<DecisionMap> maps;
  for (const Timings& timings : loaded.timings) maps.push_back(make_decision_map(timings));
  if (!options.output.empty()) write_map_csv(maps, options.output);
  if (wanted.json) return print_map_json(maps, loaded.system);
  ShowOptions all = options;
  if (!options.map && !options.penalty && !options.tree) all.map = all.penalty = all.tree = true;
  for (const Timings& timings : loaded.timings) show_timings(all, timings, terminal);
}

void refuse_what_does_not_fit(const ShowOptions& options, bool is_profile) {
  const ProfileOptions& wanted = options.input.timings;
  const bool is_map_alone = is_profile && options.map && !options.penalty && !options.tree;
  if (!options.output.empty() && !is_map_alone)
    throw UsageError("--output: writes the maps of a profile: colltree show P.db --map -o F.csv");
  if (!options.profile.empty()) throw UsageError("--profile: goes with a record of calls");
  if (wanted.json && !is_map_alone && (!is_profile || options.penalty || options.tree))
    throw UsageError("--json: prints what a profile holds or, with --map, its decision maps");
}

void show(const ShowOptions& options) {
  const ProfileOptions& wanted = options.input.timings;
  const bool drawn = options.map || options.penalty || options.tree || wanted.reproducible;
  const bool has_models = !options.input.models.empty() || !options.input.fitters.empty();
  if (options.parameters) {
    if (drawn || has_models || is_record_file(wanted.profile) || is_model(wanted.profile))
      throw UsageError("--parameters: goes with a profile alone: colltree show P.db --parameters");
    return show_network_parameters(wanted);
  }
  if (is_record_file(wanted.profile)) {
    if (drawn || has_models || !options.output.empty() || !wanted.collectives.empty())
      throw UsageError("a record has neither maps nor models: colltree show RECORD --profile P.db");
    return show_record({wanted.profile, options.profile, wanted.system, wanted.json});
  }
  const bool compact = is_compact(wanted.profile);
  if (compact || is_rules_file(wanted.profile)) {
    if (drawn || has_models || !options.profile.empty() || !options.output.empty() ||
        !wanted.collectives.empty())
      throw UsageError(fmt::format(
          "{}: what is deployed has neither maps nor models: colltree show FILE", wanted.profile));
    if (compact && wanted.json)
      throw UsageError("--json: a compact decision file is shown as text: colltree show F.cdt");
    return compact ? show_compact(wanted.profile) : show_rules(wanted.profile, wanted.json);
  }
  const bool model = is_model(wanted.profile);
  refuse_what_does_not_fit(options, !model);
  const report::Terminal terminal = report::terminal_of(stdout, options.colour);
  if (model) return show_models(options, terminal);
  if (drawn || has_models) return show_drawings(options, terminal);
  if (wanted.ranks_per_node != 0 || wanted.external || wanted.without_default ||
      wanted.time != ProfileOptions().time)
    throw UsageError(
        "--ranks-per-node, --time, --external, --without-default: go with --map, --penalty or "
        "--tree");
  show_overview(wanted);
}

}  // namespace

void declare_show(CommandLine& line) {
  auto options = std::make_shared<ShowOptions>();
  line.add("file", options->input.timings.profile,
           "a profile (P.db), a model (M.json), a compact decision file (F.cdt), a rules file of a "
           "library, or a record of calls")
      .required();
  line.add_flag("--map", options->map,
                "draw decision maps: the best method of each instance, and what models choose");
  line.add_flag("--penalty", options->penalty, "draw where the default and the models lose");
  line.add_flag("--tree", options->tree, "draw the models as trees");
  line.add_flag(
      "--json", options->input.timings.json,
      "print JSON: what a profile, a record of calls or a rules file holds; with --map the "
      "decision maps");
  line.add_output("-o,--output", options->output,
                  "with --map: also write the best method of each instance as CSV");
  add_plot_choosers(line, options->input);
  add_reproducible_option(line, options->input.timings.reproducible);
  line.begin_group("More");
  line.add_flag("--parameters", options->parameters,
                "print the parameters of the network model LogGP that the profile gives");
  line.add("--profile", options->profile,
           "for a record of calls: say what the best methods of this profile would save");
  line.add("--color", options->colour, "auto, always or never; auto respects NO_COLOR")
      .one_of({"auto", "always", "never"})
      .show_default();
  line.set_work([options] { show(*options); });
}

}  // namespace colltree::cli
