// SPDX-License-Identifier: BSD-3-Clause
// `colltree plot map` and `colltree plot penalty`.
#include <fmt/core.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/plot.h"
#include "model/model.h"
#include "report/method_maps.h"
#include "report/svg.h"

namespace colltree::cli {

namespace {

// "bcast: exact" when there are several collectives.
std::string panel_title(const SystemTimings& loaded, const Timings& timings,
                        const std::string& name_of_panel) {
  if (loaded.timings.size() == 1) return name_of_panel;
  return fmt::format("{}: {}", name(timings.collective), name_of_panel);
}

std::string figure_title(const SystemTimings& loaded, const char* what) {
  const Timings& first = loaded.timings.front();
  if (loaded.timings.size() == 1) return fmt::format("{}: {}", what, what_of(first));
  return fmt::format("{}: {} ({})", what, first.system, first.provenance);
}

// A row of panels for each collective when each has the same, as wide as readable.
std::size_t columns_for(std::size_t collectives, std::size_t panels) {
  const std::size_t each = panels / collectives;
  return collectives > 1 && each * collectives == panels && each <= 4 ? each : 0;
}

std::string joined(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + ", " + other;
}

std::string measured_text(std::size_t instances, std::size_t predicted) {
  if (predicted == 0) return fmt::format("{} instances measured", instances);
  return fmt::format("the best time predicted, not measured, at {} of {} instances", predicted,
                     instances);
}

report::MapFigure maps_of_profile(const PlotInput& input) {
  const SystemTimings loaded = load_system_timings(input.timings);
  std::vector<report::MethodMap> maps;
  for (const Timings& timings : loaded.timings) {
    maps.push_back(report::exact_map(timings));
    maps.back().title = panel_title(loaded, timings, "exact");
    maps.back().subtitle = measured_text(timings.instances.size(), maps.back().predicted);
    for (const PlotChooser& chooser : choosers_for(input, timings)) {
      maps.push_back(report::chosen_map(
          timings, [&](const Instance& at) { return chooser.function->decide(at); }));
      maps.back().title = panel_title(loaded, timings, chooser.name);
      const PenaltySummary summary = summarize(model::penalty_points(timings, *chooser.function));
      maps.back().subtitle = joined(chooser.leaves(), "penalty " + report::penalty_text(summary));
    }
  }
  report::MapFigure figure = report::decision_figure(
      title_of(input, figure_title(loaded, "Decision map")), maps, background_of(input));
  figure.style.columns = columns_for(loaded.timings.size(), maps.size());
  return figure;
}

// Of models alone, without the timings they were fitted to.
report::MapFigure maps_of_models(const PlotInput& input) {
  std::vector<std::string> paths = {input.timings.profile};
  paths.insert(paths.end(), input.models.begin(), input.models.end());
  std::vector<report::MethodMap> maps;
  std::vector<Collective> wanted;
  if (!input.timings.collectives.empty()) wanted = parse_collectives(input.timings.collectives);
  std::string systems;
  for (const PlotChooser& chooser : load_choosers(paths)) {
    const model::ModelOrigin& origin = chooser.function->origin;
    for (const Collective collective : wanted.empty() ? origin.collectives : wanted) {
      maps.push_back(report::chosen_map(*chooser.function, collective));
      maps.back().title = fmt::format("{}: {}", name(collective), chooser.name);
      maps.back().subtitle = chooser.leaves();
    }
    const std::string system = fmt::format("{} ({})", origin.system, origin.provenance);
    if (systems.find(system) == std::string::npos) systems = joined(systems, system);
  }
  return report::decision_figure(title_of(input, "Decision map: fitted to " + systems), maps,
                                 background_of(input));
}

void plot_map(const PlotInput& input) {
  report::check_picture_name(input.output);
  const bool profile = !is_model(input.timings.profile);
  if (!profile && !input.fitters.empty()) {
    throw UsageError(
        fmt::format("--fit: needs a profile, and {} is not one", input.timings.profile));
  }
  write_plot(input, report::draw(profile ? maps_of_profile(input) : maps_of_models(input),
                                 background_of(input)));
}

void plot_penalty(const PlotInput& input) {
  report::check_picture_name(input.output);
  const SystemTimings loaded = load_system_timings(input.timings);
  std::vector<report::PenaltyMap> maps;
  const auto add = [&](const Timings& timings, const std::string& chooser,
                       const std::string& leaves, const PenaltyPoints& points) {
    maps.push_back(report::penalty_map(timings, points));
    maps.back().title = panel_title(loaded, timings, chooser);
    maps.back().subtitle = joined(leaves, report::penalty_text(summarize(points)));
  };
  for (const Timings& timings : loaded.timings) {
    const PenaltyPoints by_default = default_penalty_points(timings);
    if (!by_default.at.empty()) {
      const std::string& mpi = loaded.system.mpi;
      add(timings, mpi.empty() ? "default" : fmt::format("default ({})", mpi), "", by_default);
    }
    for (const PlotChooser& chooser : choosers_for(input, timings)) {
      add(timings, chooser.name, chooser.leaves(),
          model::penalty_points(timings, *chooser.function));
    }
  }
  if (maps.empty()) {
    throw UsageError(
        "nothing to draw: no default was measured; name a model, or one to fit with --fit");
  }
  report::MapFigure figure = report::penalty_figure(
      title_of(input, figure_title(loaded, "Performance penalty")), maps, background_of(input));
  figure.style.columns = columns_for(loaded.timings.size(), maps.size());
  write_plot(input, report::draw(figure, background_of(input)));
}

}  // namespace

void declare_plot_map(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  add_plot_options(line, *input, true);
  line.set_work([input] { plot_map(*input); });
}

void declare_plot_penalty(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  add_plot_options(line, *input, true);
  line.set_work([input] { plot_penalty(*input); });
}

}  // namespace colltree::cli
