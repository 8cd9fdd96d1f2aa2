// SPDX-License-Identifier: BSD-3-Clause
// `colltree fit KIND`: every kind of model that can be fitted, with its parameters as options.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/expectation.h"
#include "model/fitter.h"
#include "model/kind.h"
#include "model/kinds/c45_tree.h"
#include "model/kinds/optimal.h"
#include "model/kinds/quadtree.h"
#include "model/model.h"
#include "model/quadtree/label_grid.h"
#include "timings/call_mix.h"

namespace colltree::cli {

namespace {

struct FitOptions {
  FitInput input;
  bool details = false;  // C4.5: the tree or the rules
  // Limits of the search for the optimal tree.
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = model::OptimalOptions{}.memory_limit_bytes;
};

void add_mix_option(CLI::App& app, FitOptions& options) {
  app.add_option(
      "--mix", options.input.mix,
      "a CSV file of an application's calls: an instance counts as often as it is called");
}

void print_certificate(const model::Certificate& proof) {
  const auto value_text = [&](double value) {
    return proof.objective == "time" ? fmt::format("{:.4g} us", value)
                                     : fmt::format("{:.4f} %", 100 * value);
  };
  const std::string what = proof.objective == "expected" ? "mean expected loss" : proof.objective;
  const std::string tests = join(proof.tests, ", ");
  if (proof.optimal) {
    fmt::print("  optimal: no tree of {} leaves that tests {} has a {} below {}\n", proof.leaves,
               tests, what, value_text(proof.value));
  } else {
    fmt::print("  stopped by a limit: {} {}; no tree of {} leaves that tests {} is below {}\n",
               what, value_text(proof.value), proof.leaves, tests, value_text(proof.lower_bound));
  }
}

void fit_optimal(const model::Kind& kind, const FitOptions& options) {
  model::OptimalOptions tree =
      model::optimal_options(model::parse_parameters(kind, options.input.parameters));
  tree.time_limit_s = options.time_limit_s;
  tree.memory_limit_bytes = options.memory_limit_bytes;
  const std::vector<Timings> timings = load_fit_timings(options.input);
  if (!options.input.mix.empty()) tree.mix = load_call_mix(options.input.mix);
  model::Model model = model::fit_optimal(timings, tree);
  model::judge_on_training_points(model, timings);
  save_and_report(model, options.input);
  if (options.input.timings.json) return;
  print_certificate(*model.statistics.certificate);
  for (const std::string& text : model::statements(model)) fmt::print("  {}\n", text);
}

void declare_optimal(CLI::App& app, FitOptions& options) {
  add_mix_option(app, options);
  app.add_option("--time-limit", options.time_limit_s,
                 "time limit of the search, in seconds; the bound that is left is printed")
      ->transform(real_number({0, 1e8}));
  app.add_option("--memory-limit", options.memory_limit_bytes,
                 "memory limit of the search, in bytes")
      ->transform(size_number({1, std::uint64_t{1} << 50}))
      ->default_str(size_text(options.memory_limit_bytes));
}

void print_pruning(const model::Pruning& trees) {
  fmt::print(
      "  before pruning: {} leaves, {} errors ({:.1f} %); after: {} leaves, {} errors ({:.1f} %), "
      "predicted {:.1f} %\n",
      trees.before.leaves, trees.before.errors, 100 * trees.before.error_rate, trees.after.leaves,
      trees.after.errors, 100 * trees.after.error_rate, 100 * trees.predicted_error_rate);
}

void print_rules(const model::RuleCounts& counts) {
  fmt::print(
      "  {} rules with {} conditions, {} errors ({:.1f} %); leaves are those of the tree "
      "they make\n",
      counts.rules, counts.conditions, counts.errors, 100 * counts.error_rate);
}

model::Model fit_plain(const model::Kind& kind, const FitOptions& options) {
  const model::Fitter fitter(kind, model::parse_parameters(kind, options.input.parameters));
  model::Model model = model::fit_and_judge(fitter, load_fit_timings(options.input));
  save_and_report(model, options.input);
  return model;
}

void fit_c45(const model::Kind& kind, const FitOptions& options) {
  const model::Model model = fit_plain(kind, options);
  if (options.input.timings.json) return;
  if (model.statistics.pruning) print_pruning(*model.statistics.pruning);
  if (model.statistics.rules) print_rules(*model.statistics.rules);
  if (options.details) fmt::print("\n{}", model.text);
}

void declare_c45(CLI::App& app, FitOptions& options) {
  app.add_flag("--details", options.details, "print the tree as in the 2006 paper, or the rules");
}

void fit_quadtree(const model::Kind& kind, const FitOptions& options) {
  const model::Parameters parameters = model::parse_parameters(kind, options.input.parameters);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  model::LabelGrid grid = model::make_grid_of(timings, parameters.word("third"));
  if (!options.input.mix.empty()) {
    grid.weights = model::grid_weights(grid, load_call_mix(options.input.mix));
  }
  model::Model model =
      model::fit_quadtree(model::origin_of(timings), grid, model::grid_tree_options(parameters));
  model::judge_on_training_points(model, timings);
  save_and_report(model, options.input);
}

// A kind whose command can do more than fit with its parameters.
struct FitCommand {
  std::string_view kind;
  const char* summary;
  const char* example;
  void (*declare)(CLI::App& app, FitOptions& options);
  void (*fit)(const model::Kind& kind, const FitOptions& options);
};

constexpr FitCommand kFitCommands[] = {
    {"quadtree", "quadtree of the 2007 paper; octree over several collectives; kdtree",
     "colltree fit quadtree grig.db --collective bcast --parameters max_depth=3 -o bcast.json",
     add_mix_option, fit_quadtree},
    {"c45", "C4.5 tree of the 2006 paper, over one or several collectives",
     "colltree fit c45 grig.db --collective bcast,reduce --parameters weight=40,confidence=5 -o "
     "tree.json",
     declare_c45, fit_c45},
    {"c45-rules", "production rules of a C4.5 tree, as c4.5rules makes them",
     "colltree fit c45-rules grig.db --collective bcast --details -o rules.json", declare_c45,
     fit_c45},
    {"optimal", "the tree with the least penalty of its size, with a proof",
     "colltree fit optimal grig.db --collective bcast --parameters leaves=10 -o bcast.json",
     declare_optimal, fit_optimal},
};

void declare_kind(CLI::App& app, const model::Kind& kind) {
  const auto* special = std::ranges::find(kFitCommands, kind.name, &FitCommand::kind);
  const bool is_plain = special == std::end(kFitCommands);
  CLI::App& sub = *app.add_subcommand(kind.name, is_plain ? kind.summary : special->summary);
  const std::string example =
      is_plain ? fmt::format("colltree fit {} grig.db --collective bcast -o bcast.json", kind.name)
               : special->example;
  std::string parameters;
  for (const model::Parameter& parameter : kind.parameters)
    parameters +=
        help_row(fmt::format("{}={}", parameter.name, parameter.otherwise), parameter.help);
  sub.footer(fmt::format("Parameters:\n{}\nExample:\n  {}", parameters, example));
  auto options = std::make_shared<FitOptions>();
  add_fit_options(sub, options->input, kind);
  if (!is_plain) special->declare(sub, *options);
  sub.callback([options, &kind, fit = is_plain ? nullptr : special->fit] {
    fit != nullptr ? fit(kind, *options) : static_cast<void>(fit_plain(kind, *options));
  });
}

}  // namespace

void declare_fit(CLI::App& app) {
  app.require_subcommand(1);
  constexpr const char* kOctree = "octree";  // is explained to who asks for it
  app.add_subcommand(kOctree)->group("")->allow_extras()->callback(
      [] { model::fitted_kind(kOctree); });
  for (const model::Kind* kind : model::kinds()) {
    if (kind->fit != nullptr) declare_kind(app, *kind);
  }
}

}  // namespace colltree::cli
