// SPDX-License-Identifier: BSD-3-Clause
// `colltree plot WHAT`: one row for each kind of picture.
#include "cli/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/loaded_models.h"
#include "emit/emitter.h"
#include "model/fitter.h"
#include "model/model.h"
#include "report/svg.h"
#include "report/tree_figure.h"

namespace colltree::cli {

void add_picture_options(CommandLine& line, PlotInput& input) {
  line.add_output("-o,--output", input.output, "the picture (F.svg or F.png)").required();
  line.add("--title", input.title, "title of the picture (default: what it shows)");
  line.add("--background", input.background, "colour scheme of the picture")
      .one_of({"light", "dark"})
      .show_default();
  line.add("--scale", input.scale, {0.1, 20}, "pixels of a PNG per unit of the SVG").show_default();
}

void add_plot_choosers(CommandLine& line, PlotInput& input) {
  line.add("models", input.models, "models to draw beside it (M.json)");
  line.add("--fit", input.fitters,
           "models to fit to the profile and draw, separated by spaces: "
           "'quadtree:max_depth=3 c45:weight=40,confidence=5 optimal:leaves=10'");
  add_timing_options(line, input.timings);
}

void add_plot_options(CommandLine& line, PlotInput& input, bool models) {
  if (models) {
    line.add("profile", input.timings.profile, "the profile (P.db) or a model (M.json)").required();
    add_plot_choosers(line, input);
  } else {
    line.add("profile", input.timings.profile, "the profile (P.db)").required();
    add_timing_options(line, input.timings);
  }
  add_picture_options(line, input);
}

report::Background background_of(const PlotInput& input) {
  return input.background == "dark" ? report::Background::kDark : report::Background::kLight;
}

bool is_model(const std::string& path) {
  std::error_code absent;
  const auto kind = std::filesystem::status(path, absent).type();
  // A look into a pipe would take the first byte away; a profile cannot be one.
  if (kind != std::filesystem::file_type::regular) return kind == std::filesystem::file_type::fifo;
  char first = 0;
  std::ifstream(path) >> first;  // behind blanks
  return first == '{';
}

std::string PlotChooser::leaves() const {
  return fmt::format("{} leaves", function->statistics.shape.leaves);
}

std::vector<PlotChooser> load_choosers(const std::vector<std::string>& paths) {
  std::vector<PlotChooser> choosers;
  for (const LoadedModel& model : load_models(paths)) {
    choosers.push_back({fmt::format("{} ({})", std::filesystem::path(model.path).stem().string(),
                                    model.function->kind),
                        model.function});
  }
  return choosers;
}

std::vector<PlotChooser> choosers_for(const PlotInput& input, const Timings& timings) {
  std::vector<PlotChooser> choosers;
  for (const PlotChooser& chooser : load_choosers(input.models)) {
    const auto& known = chooser.function->origin.collectives;
    if (std::ranges::find(known, timings.collective) != known.end()) choosers.push_back(chooser);
  }
  for (const model::Fitter& fitter : parse_compared(input.fitters, timings)) {
    choosers.push_back({fitter.name(), std::make_shared<model::Model>(fitter.fit({timings}))});
  }
  return choosers;
}

std::string title_of(const PlotInput& input, const std::string& title) {
  return input.title.empty() ? title : input.title;
}

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

void write_plot(const PlotInput& input, const std::string& svg) {
  report::write_picture(input.output, svg, input.scale);
  fmt::print("{}\n", input.output);
}

void declare_plot_map(CommandLine& line);
void declare_plot_penalty(CommandLine& line);
void declare_plot_times(CommandLine& line);
void declare_plot_depth(CommandLine& line);
void declare_plot_threshold(CommandLine& line);
void declare_plot_limits(CommandLine& line);
void declare_plot_leaves(CommandLine& line);
void declare_plot_frontier(CommandLine& line);

namespace {

void plot_tree(const PlotInput& input) {
  report::check_picture_name(input.output);
  const PlotChooser chooser = load_choosers(input.models).front();
  const model::ModelOrigin& origin = chooser.function->origin;
  const std::string title =
      fmt::format("{}, fitted to {} ({})", chooser.name, origin.system, origin.provenance);
  const model::RuleTree tree = emit::tree_to_emit(*chooser.function, {});
  write_plot(input, report::draw_tree(tree, title_of(input, title), background_of(input)));
}

void declare_plot_tree(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  line.add("model", input->models, "the model (M.json)").required().once();
  add_picture_options(line, *input);
  line.set_work([input] { plot_tree(*input); });
}

constexpr Command kPictures[] = {
    {"map", "decision maps: the best method of each instance and what models choose",
     "colltree plot map grig.db --collective bcast --fit 'quadtree:max_depth=3 c45' -o map.svg",
     declare_plot_map},
    {"penalty", "where the default and models lose, and how much",
     "colltree plot penalty grig.db --collective bcast --fit 'quadtree:max_depth=3' -o loss.svg",
     declare_plot_penalty},
    {"times", "times of all methods against message size, with their intervals",
     "colltree plot times grig.db --collective bcast --communicator-size 16 -o times.svg",
     declare_plot_times},
    {"depth", "penalty of quadtrees against their depth limit",
     "colltree plot depth grig.db --collective bcast -o depth.svg", declare_plot_depth},
    {"threshold", "depth and penalty of quadtrees against the accuracy threshold",
     "colltree plot threshold grig.db -o threshold.svg", declare_plot_threshold},
    {"limits", "penalty of quadtrees against mean depth, under either limit",
     "colltree plot limits grig.db -o limits.svg", declare_plot_limits},
    {"leaves", "penalty against the number of leaves: quadtree, C4.5, optimal",
     "colltree plot leaves grig.db --collective bcast -o leaves.svg", declare_plot_leaves},
    {"frontier", "the least penalty of each number of leaves, of an optimal model",
     "colltree plot frontier optimal.json -o frontier.svg", declare_plot_frontier},
    {"tree", "a model as a tree", "colltree plot tree bcast.json -o tree.svg", declare_plot_tree},
};

}  // namespace

void declare_plot(CommandLine& line) {
  for (const Command& picture : kPictures) {
    CommandLine& sub = line.add_subcommand(picture.name, picture.summary);
    sub.set_footer(fmt::format("Example:\n  {}", picture.example));
    picture.declare(sub);
  }
}

}  // namespace colltree::cli
