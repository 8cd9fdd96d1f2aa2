// SPDX-License-Identifier: BSD-3-Clause
// `colltree plot tree`.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/plot_input.h"
#include "emit/emitter.h"
#include "report/svg.h"
#include "report/tree_figure.h"

namespace colltree {

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

}  // namespace

void declare_plot_tree(CommandLine& line) {
  auto input = std::make_shared<PlotInput>();
  line.add("model", input->models, "the model, M.json").required().once();
  add_picture_options(line, *input);
  line.set_work([input] { plot_tree(*input); });
}

}  // namespace colltree
