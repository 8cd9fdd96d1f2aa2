// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_drawings.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/loaded_models.h"
#include "emit/emitter.h"
#include "model/fitter.h"
#include "model/model.h"
#include "report/method_maps.h"
#include "report/terminal.h"
#include "timings/decision_map.h"

namespace colltree::cli {

namespace {

// Something that decides, with its name in drawings.
struct NamedModel {
  std::string name;
  std::shared_ptr<const model::Model> function;
};

std::vector<NamedModel> load_choosers(const std::vector<std::string>& paths) {
  std::vector<NamedModel> choosers;
  for (const LoadedModel& model : load_models(paths)) {
    choosers.push_back({fmt::format("{} ({})", std::filesystem::path(model.path).stem().string(),
                                    model.function->kind),
                        model.function});
  }
  return choosers;
}

// The models of the command line that decide for the collective, then what --fit asks for, fitted
// to the timings.
std::vector<NamedModel> choosers_for(const DrawingOptions& options, const Timings& timings) {
  std::vector<NamedModel> choosers;
  for (const NamedModel& chooser : load_choosers(options.models)) {
    const auto& known = chooser.function->origin.collectives;
    if (std::ranges::find(known, timings.collective) != known.end()) choosers.push_back(chooser);
  }
  for (const model::Fitter& fitter : parse_compared(options.fitters, timings)) {
    choosers.push_back({fitter.name(), std::make_shared<model::Model>(fitter.fit({timings}))});
  }
  return choosers;
}

// "bcast on grig (simulated)"
std::string what_of(const Timings& timings) {
  const TimeCounts counts = counts_of(timings);
  const std::string predicted =
      counts.predicted == 0
          ? ""
          : fmt::format(", {:.0f} % of the times predicted",
                        100 * static_cast<double>(counts.predicted) /
                            static_cast<double>(counts.predicted + counts.measured));
  return fmt::format("{} on {} ({}{})", name(timings.collective), timings.system,
                     timings.provenance, predicted);
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

void show_map(const std::string& title, const report::MethodMap& map,
              const report::Terminal& terminal) {
  fmt::print("{}\n{}", title, report::terminal_map(map, terminal));
}

void show_penalty(const std::string& title, const Timings& timings, const PenaltyPoints& points,
                  const report::Terminal& terminal) {
  fmt::print("{}: penalty {}\n{}", title, report::penalty_text(summarize(points)),
             report::terminal_penalty(report::penalty_map(timings, points), terminal));
}

void show_tree(const NamedModel& chooser, const report::Terminal& terminal) {
  fmt::print("{}: {}\n{}", chooser.name, emit::describe(*chooser.function),
             report::terminal_tree(emit::tree_to_emit(*chooser.function), terminal));
}

// Draws the best methods of a collective and the penalty of the default, then every model.
void show_timings(const DrawingOptions& options, const Timings& timings,
                  const report::Terminal& terminal) {
  const std::string what = what_of(timings);
  if (options.map) show_map(what + ": best methods", report::exact_map(timings), terminal);
  const PenaltyPoints by_default = default_penalty_points(timings);
  if (options.penalty && !by_default.instances.empty())
    show_penalty(what + ": default", timings, by_default, terminal);
  for (const NamedModel& chooser : choosers_for(options, timings)) {
    const auto choose = [&](const Instance& instance) {
      return chooser.function->decide(instance);
    };
    const std::string title = fmt::format("{}: {}", what, chooser.name);
    if (options.map) show_map(title, report::chosen_map(timings, choose), terminal);
    if (options.penalty)
      show_penalty(title, timings, model::penalty_points(timings, *chooser.function), terminal);
    if (options.tree) show_tree(chooser, terminal);
  }
}

}  // namespace

void draw_models(const DrawingOptions& options) {
  const report::Terminal terminal = report::terminal_of(stdout);
  if (options.penalty) {
    throw UsageError("--penalty: needs the profile first, then models: colltree show P.db M.json");
  }
  std::vector<std::string> paths = {options.timings.profile};
  paths.insert(paths.end(), options.models.begin(), options.models.end());
  for (const NamedModel& chooser : load_choosers(paths)) {
    if (options.tree || !options.map) show_tree(chooser, terminal);
    if (!options.map) continue;
    for (const Collective collective : chooser.function->origin.collectives) {
      show_map(fmt::format("{}: {}", chooser.name, name(collective)),
               report::chosen_map(*chooser.function, collective), terminal);
    }
  }
}

void draw_profile(const DrawingOptions& options) {
  const ProfileOptions& wanted = options.timings;
  const bool has_models = !options.models.empty() || !options.fitters.empty();
  if (options.tree && !has_models)
    throw UsageError("--tree: draws models: add M.json, or fit one with --fit");
  const SystemTimings loaded = load_system_timings(wanted);
  std::vector<DecisionMap> maps;
  for (const Timings& timings : loaded.timings) maps.push_back(make_decision_map(timings));
  if (!options.output.empty()) write_map_csv(maps, options.output);
  if (wanted.json)
    return print_results("colltree/maps/1", {{"system", loaded.system.name},
                                             {"provenance", loaded.system.provenance},
                                             {"maps", json_list(maps, map_json)}});
  DrawingOptions shown = options;
  if (!options.map && !options.penalty && !options.tree)
    shown.map = shown.penalty = shown.tree = true;
  const report::Terminal terminal = report::terminal_of(stdout);
  for (const Timings& timings : loaded.timings) show_timings(shown, timings, terminal);
}

}  // namespace colltree::cli
