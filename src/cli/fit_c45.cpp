// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/c45_model.h"
#include "model/c45_rules_model.h"

namespace colltree {

namespace {

struct Options {
  FitInput input;
  C45Options tree;
  bool rules = false;
  bool print = false;
};

double percent(const nlohmann::json& rate) { return 100 * rate.get<double>(); }

void fit_tree(const Options& options, const std::vector<Timings>& timings) {
  C45Model model(origin_of(timings), timings, options.tree);
  add_penalty_statistics(model, timings);
  save_and_report(model, options.input);
  if (options.input.json) return;
  const nlohmann::json statistics = model.statistics();
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
  C45RulesModel model(origin_of(timings), timings, options.tree);
  add_penalty_statistics(model, timings);
  save_and_report(model, options.input);
  if (options.input.json) return;
  const nlohmann::json statistics = model.statistics();
  fmt::print(
      "  {} rules with {} conditions, {} errors ({:.1f} %); leaves are those of the tree "
      "they make\n",
      statistics.at("rules").dump(), statistics.at("conditions").dump(),
      statistics.at("errors").dump(), percent(statistics.at("error_rate")));
  if (options.print) fmt::print("\n{}", model.text());
}

void fit(const Options& options) {
  if (options.tree.weight < 1) throw UsageError("--weight: must be 1 or more");
  if (!(options.tree.confidence_level > 0.001F && options.tree.confidence_level <= 100)) {
    throw UsageError("--confidence: must be above 0.001 and at most 100 percent");
  }
  const std::vector<Timings> timings = load_fit_timings(options.input);
  options.rules ? fit_rules(options, timings) : fit_tree(options, timings);
}

}  // namespace

void declare_fit_c45(CLI::App& app) {
  auto options = std::make_shared<Options>();
  C45Options& tree = options->tree;
  add_fit_options(app, options->input);
  app.add_option("--weight", tree.weight, "two branches of each test hold so many instances")
      ->capture_default_str();
  app.add_option("--confidence", tree.confidence_level,
                 "confidence level of pruning in percent; a small one prunes more")
      ->capture_default_str();
  app.add_flag("--gain", tree.gain_only, "gain criterion instead of gain ratio");
  app.add_flag("--group", tree.group, "tests on groups of collectives");
  app.add_flag("--power-of-two", tree.features.power_of_two,
               "also test whether the communicator size is a power of two");
  app.add_flag("--parity", tree.features.parity, "also test whether the message size is even");
  app.add_flag("--log2-message-size", tree.features.log2_message_size,
               "also test log2 of the message size");
  app.add_flag("--rules", options->rules, "production rules made from the tree, as c4.5rules does");
  app.add_flag("--print-tree,--print-rules", options->print,
               "print the tree as in the 2006 paper, or the rules");
  app.callback([options] { fit(*options); });
}

}  // namespace colltree
