// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/quadtree/grid_of_timings.h"
#include "model/quadtree/grid_tree_model.h"

namespace colltree {

namespace {

struct Options {
  FitInput input;
  std::string third = "collective";
  std::string reshape = "end";
  GridTreeOptions tree;
};

void fit(Options& options) {
  options.tree.reshape = parse_reshape(options.reshape);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  LabelGrid grid = make_grid_of(timings, options.third);
  if (!options.input.mix.empty()) {
    grid.weights = grid_weights(grid, load_call_mix(options.input.mix));
  }
  GridTreeModel model(origin_of(timings), grid, options.tree);
  add_penalty_statistics(model, timings);
  save_and_report(model, options.input);
}

}  // namespace

void declare_fit_quadtree(CommandLine& line) {
  auto options = std::make_shared<Options>();
  add_fit_options(line, options->input);
  line.add("--max-depth", options->tree.max_depth, kDepthRange,
           "most levels of tests; unlimited if absent");
  line.add("--accuracy-threshold", options->tree.accuracy_threshold, kAccuracyRange,
           "smallest share of one method that makes a block a leaf")
      .show_default();
  line.add("--reshape", options->reshape,
           "fill the power-of-two square at the end, even(ly), or none: a kdtree instead")
      .show_default();
  line.add("--third", options->third,
           "third dimension: collective (when several are given) or ranks_per_node")
      .show_default();
  line.add("--mix", options->input.mix,
           "CSV of an application's calls: detail goes where the calls are");
  line.set_work([options] { fit(*options); });
}

}  // namespace colltree
