// SPDX-License-Identifier: BSD-3-Clause
// `colltree show`: what a profile holds and where it comes from; maps, penalties and trees in the
// terminal; what a recorded job called; what is deployed.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/network_parameters.h"
#include "cli/plot_input.h"
#include "cli/show_record.h"
#include "cli/show_rules.h"
#include "emit/emitter.h"
#include "profile/overview.h"
#include "report/method_maps.h"
#include "report/terminal.h"

namespace colltree {

namespace {

struct ShowOptions {
  PlotInput input;
  bool map = false;
  bool penalty = false;
  bool tree = false;
  bool parameters = false;
  std::string colour = "auto";
  std::string profile;  // for a record
};

// Only these collectives. Throws Error when no system has one of them.
void keep(const std::vector<Collective>& wanted, const std::string& profile,
          std::vector<SystemOverview>& systems) {
  const auto unwanted = [&](Collective one) { return std::ranges::count(wanted, one) == 0; };
  const auto cell_unwanted = [&](const Cell& cell) {
    return unwanted(cell.key.instance.collective);
  };
  std::vector<Collective> missing = wanted;
  for (SystemOverview& system : systems) {
    std::erase_if(system.collectives, [&](const auto& entry) { return unwanted(entry.first); });
    std::erase_if(system.not_ok, cell_unwanted);
    std::erase_if(system.disturbed, cell_unwanted);
    std::erase_if(missing, [&](Collective one) { return system.collectives.contains(one); });
  }
  if (!missing.empty())
    throw Error(fmt::format("{}: has no timings of {}", profile, name(missing.front())));
}

void show_overview(const ProfileOptions& options) {
  const Profile profile(options.profile, OpenMode::kRead);
  std::vector<SystemOverview> systems = overview(profile, options.system);
  if (!options.collectives.empty())
    keep(parse_collectives(options.collectives), options.profile, systems);
  Json json = Json::array();
  for (const SystemOverview& system : systems) {
    if (options.json) {
      json.push_back(overview_json(system));
    } else {
      fmt::print("{}", overview_text(system));
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
}

void show_map(const std::string& title, const MethodMap& map, const Terminal& terminal) {
  fmt::print("{}\n{}", title, terminal_map(map, terminal));
}

void show_penalty(const std::string& title, const Timings& timings, const PenaltyPoints& points,
                  const Terminal& terminal) {
  fmt::print("{}: penalty {}\n{}", title, penalty_text(summarize(points)),
             terminal_penalty(penalty_map(timings, points), terminal));
}

void show_tree(const PlotChooser& chooser, const Terminal& terminal) {
  fmt::print("{}: {}\n{}", chooser.name, describe(*chooser.function),
             terminal_tree(tree_to_emit(*chooser.function, {}), terminal));
}

// Of one collective: the best methods and the default's penalty, then each model.
void show_timings(const ShowOptions& options, const Timings& timings, const Terminal& terminal) {
  const std::string what = what_of(timings);
  if (options.map) show_map(what + ": best methods", exact_map(timings), terminal);
  const PenaltyPoints by_default = default_penalty_points(timings);
  if (options.penalty && !by_default.at.empty())
    show_penalty(what + ": default", timings, by_default, terminal);
  for (const PlotChooser& chooser : choosers_for(options.input, timings)) {
    const auto choose = [&](const Instance& at) { return chooser.function->decide(at); };
    const std::string title = fmt::format("{}: {}", what, chooser.name);
    if (options.map) show_map(title, chosen_map(timings, choose), terminal);
    if (options.penalty)
      show_penalty(title, timings, penalty_points(timings, *chooser.function), terminal);
    if (options.tree) show_tree(chooser, terminal);
  }
}

void show_models(const ShowOptions& options, const Terminal& terminal) {
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
               chosen_map(*chooser.function, collective), terminal);
    }
  }
}

void show(const ShowOptions& options) {
  const ProfileOptions& wanted = options.input.timings;
  const bool drawn = options.map || options.penalty || options.tree;
  if (options.parameters) {
    if (drawn || !options.input.models.empty() || !options.input.fitters.empty() ||
        is_record_file(wanted.profile) || is_model(wanted.profile))
      throw UsageError(
          "--parameters: belongs to a profile by itself: colltree show P.db "
          "--parameters");
    return show_network_parameters(wanted);
  }
  if (is_record_file(wanted.profile)) {
    if (drawn || !options.input.models.empty())
      throw UsageError("a record has neither maps nor models: colltree show RECORD --profile P.db");
    return show_record({wanted.profile, options.profile, wanted.system, wanted.json});
  }
  const bool compact = is_compact(wanted.profile);
  if (compact || is_rules_file(wanted.profile)) {
    if (drawn || wanted.json || !options.input.models.empty() || !options.profile.empty())
      throw UsageError(
          fmt::format("{}: what is deployed is shown as text: colltree show FILE", wanted.profile));
    return compact ? show_compact(wanted.profile) : show_rules(wanted.profile);
  }
  if (!options.profile.empty())
    throw UsageError("--profile: belongs to a record of COLLTREE_RECORD");
  if (wanted.json && (drawn || is_model(wanted.profile)))
    throw UsageError("--json: says what a profile holds; maps as JSON are printed by colltree map");
  const Terminal terminal = terminal_of(stdout, options.colour);
  if (is_model(wanted.profile)) return show_models(options, terminal);
  if (!drawn && options.input.models.empty() && options.input.fitters.empty())
    return show_overview(wanted);
  ShowOptions all = options;
  if (!drawn) all.map = all.penalty = all.tree = true;
  if (options.tree && options.input.models.empty() && options.input.fitters.empty())
    throw UsageError("--tree: needs a model, or --fit");
  for (const Timings& timings : load_system_timings(wanted).timings) {
    show_timings(all, timings, terminal);
  }
}

}  // namespace

void declare_show(CommandLine& line) {
  auto options = std::make_shared<ShowOptions>();
  line.add(
          "file", options->input.timings.profile,
          "a profile, P.db, a model, M.json, a record of calls, a compact decision file, M.cdt, or "
          "a rules file of a library")
      .required();
  add_plot_choosers(line, options->input);
  line.add_flag("--map", options->map, "decision maps: the best methods, what models choose");
  line.add_flag("--penalty", options->penalty, "where the default and models lose");
  line.add_flag("--tree", options->tree, "models as trees");
  line.add_flag("--parameters", options->parameters, "the parameters of the network model LogGP");
  line.add("--color", options->colour, "auto, always or never; NO_COLOR is respected")
      .one_of({"auto", "always", "never"})
      .show_default();
  line.add("--profile", options->profile,
           "of a record: what the best methods of this profile would save");
  line.add_flag("--json", options->input.timings.json, "what a profile holds, as JSON");
  line.set_work([options] { show(*options); });
}

}  // namespace colltree
