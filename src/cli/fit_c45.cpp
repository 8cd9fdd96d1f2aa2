// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/kinds/c45_rules.h"
#include "model/kinds/c45_tree.h"

namespace colltree {

namespace {

struct FitC45Options {
  FitInput input;
  ParameterOptions parameters;
  bool rules = false;
  bool print = false;
};

void print_pruning(const Pruning& trees) {
  fmt::print(
      "  before pruning: {} leaves, {} errors ({:.1f} %); after: {} leaves, {} errors ({:.1f} %), "
      "predicted {:.1f} %\n",
      trees.before.leaves, trees.before.errors, 100 * trees.before.error_rate, trees.after.leaves,
      trees.after.errors, 100 * trees.after.error_rate, 100 * trees.predicted_error_rate);
}

void print_rules(const RuleCounts& counts) {
  fmt::print(
      "  {} rules with {} conditions, {} errors ({:.1f} %); leaves are those of the tree "
      "they make\n",
      counts.rules, counts.conditions, counts.errors, 100 * counts.error_rate);
}

void fit(const FitC45Options& options) {
  const Fitter fitter(options.rules ? kC45RulesKind : kC45Kind, options.parameters.values());
  const Model model = fit_and_judge(fitter, load_fit_timings(options.input));
  save_and_report(model, options.input);
  if (options.input.timings.json) return;
  if (model.statistics.pruning) print_pruning(*model.statistics.pruning);
  if (model.statistics.rules) print_rules(*model.statistics.rules);
  if (options.print) fmt::print("\n{}", model.text);
}

}  // namespace

void declare_fit_c45(CommandLine& line) {
  auto options = std::make_shared<FitC45Options>();
  add_fit_options(line, options->input);
  options->parameters.declare(line, kC45Kind);
  line.add_flag("--rules", options->rules,
                "production rules made from the tree, as c4.5rules does");
  line.add_flag("--print-tree,--print-rules", options->print,
                "print the tree as in the 2006 paper, or the rules");
  line.set_work([options] { fit(*options); });
}

}  // namespace colltree
