// SPDX-License-Identifier: BSD-3-Clause
#include "cli/fit_input.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "evaluate/comparison.h"
#include "model/kind.h"
#include "model/model.h"
#include "profile/load_timings.h"
#include "timings/penalty_json.h"

namespace colltree::cli {

void add_fit_options(CLI::App& app, FitInput& input, const model::Kind& kind) {
  app.add_option("profile", input.timings.profile, "the profile (P.db)")->required();
  add_timing_options(app, input.timings, "the one that was measured");
  app.option_defaults()->group("Which timings");
  add_reproducible_option(app, input.timings.reproducible);
  app.option_defaults()->group("Options");
  if (!kind.parameters.empty())
    app.add_option(
        "--parameters", input.parameters,
        "parameters of the model, comma-separated, in place of the default values below");
  app.add_option("-o,--output", input.output, "the model to write (M.json)")
      ->check(output_file())
      ->required();
  app.add_flag("--json", input.timings.json, "print the statistics as JSON");
}

std::vector<Timings> load_fit_timings(const FitInput& input) {
  if (!input.output.empty()) check_writable(input.output);
  SystemTimings loaded = load_system_timings(input.timings);
  if (input.timings.collectives.empty() && loaded.timings.size() != 1)
    throw UsageError(fmt::format("{}: holds several collectives; choose one with --collective NAME",
                                 input.timings.profile));
  return std::move(loaded.timings);
}

void print_order(const OneOrder& cost) {
  fmt::print(
      "  sums of {} in one order ({}; {} of {} methods): their best loses {:.2f} % on average "
      "beside the best of all, {:.2f} % at most\n",
      name(cost.collective), cost.order, cost.methods, cost.of_methods, 100 * cost.mean_penalty,
      100 * cost.max_penalty);
}

namespace {

void print_penalty(std::string_view what, const PenaltySummary& penalty) {
  if (penalty.instances == 0) return;
  fmt::print(
      "  {}: mean {:.2f} %, median {:.2f} %, max {:.2f} %, {:.1f} % of instances above 50 %{}\n",
      what, 100 * penalty.mean, 100 * penalty.median, 100 * penalty.max,
      100 * penalty.share_above_50,
      penalty.predicted == 0 ? ""
                             : fmt::format(" ({} instances{})", penalty.instances,
                                           evaluate::of_them_predicted(penalty.predicted)));
}

void print_penalties(const model::TrainingPenalty& penalty) {
  print_penalty("performance penalty", penalty.overall);
  for (const auto& [collective, summary] : penalty.by_collective) {
    print_penalty(fmt::format("of {}", name(collective)), summary);
  }
  if (penalty.cannot_run > 0) {
    fmt::print("  at {} instances the model asks for a method that was not measured there\n",
               penalty.cannot_run);
  }
}

}  // namespace

void save_and_report(const model::Model& model, const FitInput& input) {
  model::save_model(model, input.output);
  if (input.timings.json) {
    Json report = {{"model", input.output},
                   {"kind", model.kind},
                   {"system", model.origin.system},
                   {"instances", model.origin.instances},
                   {"parameters", model::to_json(model.parameters)}};
    report.update(model::to_json(model.statistics));
    if (!model.origin.one_orders.empty()) report["one_orders"] = to_json(model.origin.one_orders);
    return print_results("colltree/fit/1", report);
  }
  const model::TreeShape& shape = model.statistics.shape;
  fmt::print("{} of {} on {}: {} instances -> {}\n", model.kind,
             join(names_of(model.origin.collectives), ","), model.origin.system,
             model.origin.instances, input.output);
  fmt::print("  {} leaves, {} nodes, depth {} at most, {:.2f} mean\n", shape.leaves, shape.nodes,
             shape.max_depth, shape.mean_depth);
  if (model.statistics.penalty) print_penalties(*model.statistics.penalty);
  for (const OneOrder& cost : model.origin.one_orders) print_order(cost);
}

}  // namespace colltree::cli
