// SPDX-License-Identifier: BSD-3-Clause
// `colltree plot WHAT`: one row for each kind of picture.
#include <fmt/core.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/plot_input.h"
#include "emit/emitter.h"
#include "report/svg.h"
#include "report/tree_figure.h"

namespace colltree {

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
  check_picture_name(input.output);
  const PlotChooser chooser = load_choosers(input.models).front();
  const ModelOrigin& origin = chooser.function->origin;
  const std::string title =
      fmt::format("{}, fitted to {} ({})", chooser.name, origin.system, origin.provenance);
  const RuleTree tree = tree_to_emit(*chooser.function, {});
  write_plot(input, draw_tree(tree, title_of(input, title), background_of(input)));
}

void declare_plot_tree(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  line.add("model", input->models, "the model, M.json").required().once();
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

}  // namespace colltree
