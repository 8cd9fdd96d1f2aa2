// SPDX-License-Identifier: BSD-3-Clause
// `colltree plot times`, depth, threshold, limits, leaves and frontier.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "cli/command.h"
#include "cli/plot.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/optimal/cost_cube.h"
#include "model/quadtree/label_grid.h"
#include "report/curves.h"
#include "report/svg.h"

namespace colltree::cli {

namespace {

// One collective, which must be named when there are several.
Timings one_collective(const PlotInput& input) {
  SystemTimings loaded = load_system_timings(input.timings);
  require_one_collective(input.timings, loaded);
  return std::move(loaded.timings.front());
}

std::string system_of(const SystemTimings& loaded) {
  return fmt::format("{} ({})", loaded.system.name, loaded.system.provenance);
}

// The same collective in other profiles.
std::vector<report::OtherTimes> times_beside(const PlotInput& input,
                                             const std::vector<std::string>& profiles,
                                             Collective collective) {
  std::vector<report::OtherTimes> others;
  for (const std::string& profile : profiles) {
    PlotInput other = input;
    other.timings.profile = profile;
    other.timings.system.reset();
    other.timings.collectives = name(collective);
    others.push_back({std::filesystem::path(profile).stem().string(), one_collective(other)});
  }
  return others;
}

void plot_times(PlotInput input, const std::vector<std::string>& profiles,
                std::uint64_t communicator_size) {
  report::check_picture_name(input.output);
  input.timings.default_alone = true;
  const Timings timings = one_collective(input);
  if (communicator_size == 0) communicator_size = timings.instances.back().communicator_size;
  const std::string title = fmt::format("{}, {} processes", what_of(timings), communicator_size);
  const auto others = times_beside(input, profiles, timings.collective);
  write_plot(input,
             report::draw(report::times_figure(title_of(input, title), timings, communicator_size,
                                               background_of(input), others),
                          background_of(input)));
}

using StudyOf = std::vector<report::StudyRow> (*)(const report::StudyInput& input,
                                                  model::Reshape reshape);

std::vector<report::StudyCurve> curves_of(const SystemTimings& loaded, StudyOf study) {
  std::vector<report::StudyCurve> curves;
  for (const Timings& timings : loaded.timings) {
    const model::LabelGrid grid = model::make_grid_of({timings}, "collective");
    curves.push_back({std::string(name(timings.collective)),
                      study({{&timings, 1}, grid}, model::Reshape::kEnd)});
  }
  return curves;
}

void plot_study(const PlotInput& input, const char* what, StudyOf study,
                report::LineFigure (*figure)(std::string, const std::vector<report::StudyCurve>&,
                                             report::Background)) {
  report::check_picture_name(input.output);
  const SystemTimings loaded = load_system_timings(input.timings);
  const std::string title =
      loaded.timings.size() == 1
          ? fmt::format("Quadtrees by {}: {}", what, what_of(loaded.timings.front()))
          : fmt::format("Quadtrees by {}: {}", what, system_of(loaded));
  write_plot(input, report::draw(figure(title_of(input, title), curves_of(loaded, study),
                                        background_of(input)),
                                 background_of(input)));
}

std::vector<report::StudyRow> both_limits(const report::StudyInput& input, model::Reshape reshape) {
  std::vector<report::StudyRow> rows = report::depth_study(input, reshape);
  const std::vector<report::StudyRow> more = report::threshold_study(input, reshape);
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

// A point for each fitter, by leaves. Equal trees are one point.
report::LeavesCurve fitted_curve(const std::string& name, const std::vector<std::string>& fitters,
                                 const Timings& timings) {
  report::LeavesCurve curve{.name = name, .points = {}, .bound = {}};
  for (const std::string& fitter : fitters) {
    const model::Model model = model::parse_fitter(fitter).fit({timings});
    const auto leaves = static_cast<double>(model::total_shape(model.rules).leaves);
    curve.points.push_back({leaves, summarize(model::penalty_points(timings, model)).mean});
  }
  const auto before = [](const report::Point& one, const report::Point& other) {
    return one.x != other.x ? one.x < other.x : one.y < other.y;
  };
  std::ranges::sort(curve.points, before);
  const auto same = [](const report::Point& one, const report::Point& other) {
    return one.x == other.x;
  };
  curve.points.erase(std::unique(curve.points.begin(), curve.points.end(), same),
                     curve.points.end());
  return curve;
}

report::LeavesCurve frontier_curve(const std::string& name,
                                   const std::vector<model::FrontierPoint>& frontier) {
  report::LeavesCurve curve{.name = name, .points = {}, .bound = {}, .frontier = true};
  for (const model::FrontierPoint& point : frontier) {
    const auto leaves = static_cast<double>(point.leaves);
    if (std::isfinite(point.value)) curve.points.push_back({leaves, point.value});
    if (point.lower_bound != point.value && std::isfinite(point.lower_bound))
      curve.bound.push_back({leaves, point.lower_bound});
  }
  return curve;
}

void plot_leaves(const PlotInput& input, std::size_t leaves) {
  report::check_picture_name(input.output);
  const Timings timings = one_collective(input);
  std::vector<std::string> quadtrees;
  const model::LabelGrid grid = model::make_grid_of({timings}, "collective");
  for (const report::StudyRow& row :
       report::depth_study({{&timings, 1}, grid}, model::Reshape::kEnd)) {
    quadtrees.push_back(fmt::format("quadtree:max_depth={}", row.options.max_depth.value_or(0)));
  }
  std::vector<std::string> c45;
  for (const int weight : {1, 2, 4, 6, 8, 12, 20, 40, 80, 160}) {
    c45.push_back(fmt::format("c45:weight={},confidence=25", weight));
  }
  const model::Model optimal =
      model::parse_fitter(fmt::format("optimal:leaves={}", leaves)).fit({timings});
  const std::vector<report::LeavesCurve> curves = {
      frontier_curve("optimal: the least there is", optimal.statistics.frontier),
      fitted_curve("C4.5 by weight", c45, timings),
      fitted_curve("quadtree by depth limit", quadtrees, timings)};
  const std::string title = fmt::format("Penalty by size of the tree: {}", what_of(timings));
  write_plot(input,
             report::draw(report::leaves_figure(title_of(input, title), "mean performance penalty",
                                                curves, background_of(input)),
                          background_of(input)));
}

void plot_frontier(const PlotInput& input) {
  report::check_picture_name(input.output);
  std::vector<report::LeavesCurve> curves;
  std::string objective;
  for (const PlotChooser& chooser : load_choosers(input.models)) {
    const model::Statistics& statistics = chooser.function->statistics;
    if (!statistics.certificate) {
      throw UsageError(fmt::format(
          "{}: has no frontier; only models of `colltree fit optimal` have one", chooser.name));
    }
    const std::string& its = statistics.certificate->objective;
    if (!objective.empty() && its != objective) {
      throw UsageError(fmt::format("objectives '{}' and '{}' have no common axis", objective, its));
    }
    objective = its;
    curves.push_back(frontier_curve(chooser.name, statistics.frontier));
  }
  const bool time = objective == "time";
  const std::string value =
      time ? "mean time [\u00b5s]" : fmt::format("{} performance penalty", objective);
  const auto figure = time ? report::leaves_time_figure : report::leaves_figure;
  write_plot(input, report::draw(figure(title_of(input, "The least of each number of leaves"),
                                        value, curves, background_of(input)),
                                 background_of(input)));
}

void declare_study_plot(CommandLine& line, const char* what, StudyOf study,
                        report::LineFigure (*figure)(std::string,
                                                     const std::vector<report::StudyCurve>&,
                                                     report::Background)) {
  auto input = std::make_shared<PlotInput>();
  add_plot_options(line, *input, false);
  line.set_work([=] { plot_study(*input, what, study, figure); });
}

}  // namespace

void declare_plot_times(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  auto communicator_size = std::make_shared<std::uint64_t>(0);
  auto others = std::make_shared<std::vector<std::string>>();
  add_plot_options(line, *input, false);
  line.add("others", *others,
           "further profiles (P.db), whose library's own choice is drawn beside");
  line.add("--communicator-size", *communicator_size, limits::kAskedRanks,
           "number of ranks (default: the largest that was measured)");
  line.set_work([=] { plot_times(*input, *others, *communicator_size); });
}

void declare_plot_depth(CommandLine& line) {
  declare_study_plot(line, "depth limit", report::depth_study, report::depth_figure);
}

void declare_plot_threshold(CommandLine& line) {
  declare_study_plot(line, "accuracy threshold", report::threshold_study, report::threshold_figure);
}

void declare_plot_limits(CommandLine& line) {
  declare_study_plot(line, "depth limit and accuracy threshold", both_limits,
                     report::limits_figure);
}

void declare_plot_leaves(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  auto leaves = std::make_shared<std::size_t>(32);
  add_plot_options(line, *input, false);
  line.add("--leaves", *leaves, {2, optimal::kMostLeaves},
           "largest number of leaves of the optimal trees")
      .show_default();
  line.set_work([=] { plot_leaves(*input, *leaves); });
}

void declare_plot_frontier(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  line.add("models", input->models, "models of 'colltree fit optimal' (M.json)").required();
  add_picture_options(line, *input);
  line.set_work([input] { plot_frontier(*input); });
}

}  // namespace colltree::cli
