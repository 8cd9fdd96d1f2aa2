// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/kinds/quadtree.h"
#include "model/quadtree/label_grid.h"

namespace colltree {

namespace {

struct FitQuadtreeOptions {
  FitInput input;
  ParameterOptions parameters;
};

void fit(const FitQuadtreeOptions& options) {
  const Parameters parameters = options.parameters.values();
  const std::vector<Timings> timings = load_fit_timings(options.input);
  LabelGrid grid = make_grid_of(candidates(timings, parameters), parameters.word("third"));
  if (!options.input.mix.empty()) {
    grid.weights = grid_weights(grid, load_call_mix(options.input.mix));
  }
  Model model = fit_quadtree(origin_of(timings), grid, grid_tree_options(parameters),
                             parameters.word(kLeastGain.name));
  judge_on_training_points(model, timings);
  save_and_report(model, options.input);
}

}  // namespace

void declare_fit_quadtree(CommandLine& line) {
  auto options = std::make_shared<FitQuadtreeOptions>();
  add_fit_options(line, options->input);
  options->parameters.declare(line, kQuadtreeKind);
  line.add("--mix", options->input.mix,
           "CSV of an application's calls: detail goes where the calls are");
  line.set_work([options] { fit(*options); });
}

}  // namespace colltree
