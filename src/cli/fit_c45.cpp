// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "cli/fit_parameters.h"
#include "model/c45_model.h"
#include "model/c45_rules_model.h"

namespace colltree {

namespace {

struct Options {
  FitInput input;
  ParameterOptions parameters;
  bool rules = false;
  bool print = false;
};

double percent(const Json& rate) { return 100 * rate.get<double>(); }

void fit_tree(const Options& options, const std::vector<Timings>& timings) {
  C45Model model(origin_of(timings), timings, c45_options(options.parameters.values()));
  add_penalty_statistics(model, timings);
  save_and_report(model, options.input);
  if (options.input.json) return;
  const Json statistics = model.statistics();
  const auto& before = statistics.at("before_pruning");
  const auto& after = statistics.at("after_pruning");
  fmt::print(
      "  before pruning: {} leaves, {} errors ({:.1f} %); after: {} leaves, {} errors ({:.1f} %), "
      "predicted {:.1f} %\n",
      before.at("leaves").dump(), before.at("errors").dump(), percent(before.at("error_rate")),
      after.at("leaves").dump(), after.at("errors").dump(), percent(after.at("error_rate")),
      percent(after.at("predicted_error_rate")));
  if (options.print) fmt::print("\n{}", model.text());
}

void fit_rules(const Options& options, const std::vector<Timings>& timings) {
  C45RulesModel model(origin_of(timings), timings, c45_options(options.parameters.values()));
  add_penalty_statistics(model, timings);
  save_and_report(model, options.input);
  if (options.input.json) return;
  const Json statistics = model.statistics();
  fmt::print(
      "  {} rules with {} conditions, {} errors ({:.1f} %); leaves are those of the tree "
      "they make\n",
      statistics.at("rules").dump(), statistics.at("conditions").dump(),
      statistics.at("errors").dump(), percent(statistics.at("error_rate")));
  if (options.print) fmt::print("\n{}", model.text());
}

void fit(const Options& options) {
  const std::vector<Timings> timings = load_fit_timings(options.input);
  options.rules ? fit_rules(options, timings) : fit_tree(options, timings);
}

}  // namespace

void declare_fit_c45(CommandLine& line) {
  auto options = std::make_shared<Options>();
  add_fit_options(line, options->input);
  options->parameters.declare(line, kC45Kind);
  line.add_flag("--rules", options->rules,
                "production rules made from the tree, as c4.5rules does");
  line.add_flag("--print-tree,--print-rules", options->print,
                "print the tree as in the 2006 paper, or the rules");
  line.set_work([options] { fit(*options); });
}

}  // namespace colltree
