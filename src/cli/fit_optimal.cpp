// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/kinds/optimal.h"

namespace colltree {

namespace {

struct FitOptimalOptions {
  FitInput input;
  ParameterOptions parameters;
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = OptimalOptions{}.memory_limit_bytes;
  std::size_t frontier_leaves = 0;
  std::string frontier;
};

// leaves,value,lower_bound: the last is the value where it is proved.
void write_frontier(const std::vector<FrontierPoint>& frontier, const std::string& path) {
  std::string text = "leaves,value,lower_bound\n";
  const auto field = [](double value) {
    return std::isfinite(value) ? format_double(value) : std::string();
  };
  for (const FrontierPoint& point : frontier) {
    text += fmt::format("{},{},{}\n", point.leaves, field(point.value), field(point.lower_bound));
  }
  write_file(path, text);
}

void print_certificate(const Certificate& proof) {
  const auto value_text = [&](double value) {
    return proof.objective == "time" ? fmt::format("{:.4g} us", value)
                                     : fmt::format("{:.4f} %", 100 * value);
  };
  const std::string what = fmt::format(
      "{} of {}", proof.objective == "between" ? "mean between the points" : proof.objective,
      value_text(proof.value));
  const std::string tests = join(proof.tests, ", ");
  if (proof.optimal) {
    fmt::print("  optimal: no tree of {} leaves on {} has less than {}\n", proof.leaves, tests,
               what);
  } else {
    fmt::print("  stopped by a limit: {}; no tree of {} leaves on {} has less than {}\n", what,
               proof.leaves, tests, value_text(proof.lower_bound));
  }
}

OptimalOptions tree_options(const FitOptimalOptions& options) {
  OptimalOptions tree = optimal_options(options.parameters.values());
  tree.frontier_leaves = options.frontier_leaves;
  if (tree.choose_leaves) tree.leaves = std::max(tree.leaves, tree.frontier_leaves);
  tree.time_limit_s = options.time_limit_s;
  tree.memory_limit_bytes = options.memory_limit_bytes;
  return tree;
}

void print_choice(const SizeChoice& choice) {
  double least = std::numeric_limits<double>::infinity();
  for (const JudgedSize& size : choice.held_out) least = std::min(least, size.mean);
  for (const JudgedSize& size : choice.held_out) {
    const bool best = size.leaves == choice.best;
    const bool chosen = size.leaves == choice.chosen;
    if (!best && !chosen) continue;
    fmt::print("  {} leaves: {:.2f} % on points left out{}{}\n", size.leaves, 100 * size.mean,
               best ? ", the least" : "", chosen ? ", chosen" : "");
    if (best) continue;
    fmt::print("    {:.2f} more than the least, standard error of the difference {:.2f}\n",
               100 * (size.mean - least), 100 * size.standard_error);
  }
}

void fit(const FitOptimalOptions& options) {
  OptimalOptions tree = tree_options(options);
  if (!options.frontier.empty()) check_writable(options.frontier);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  if (!options.input.mix.empty()) tree.mix = load_call_mix(options.input.mix);
  Model model = fit_optimal(timings, tree);
  judge_on_training_points(model, timings);
  const Statistics& statistics = model.statistics;
  if (!options.frontier.empty()) write_frontier(statistics.frontier, options.frontier);
  save_and_report(model, options.input);
  if (options.input.timings.json) return;
  print_certificate(*statistics.certificate);
  if (statistics.size_choice) print_choice(*statistics.size_choice);
}

}  // namespace

void declare_fit_optimal(CommandLine& line) {
  auto options = std::make_shared<FitOptimalOptions>();
  add_fit_options(line, options->input);
  options->parameters.declare(line, kOptimalKind);
  line.add("--mix", options->input.mix,
           "CSV of an application's calls: points count as often as they are called");
  line.add("--time-limit", options->time_limit_s, {0, 1e8},
           "seconds; a search that is stopped states the bound that is left");
  line.add_size("--memory-limit", options->memory_limit_bytes, {1, std::uint64_t{1} << 50},
                "the same for memory")
      .show_default();
  line.add_output("--frontier", options->frontier, "CSV of the least value for each leaf budget");
  line.add("--frontier-leaves", options->frontier_leaves, optimal::kLeavesRange,
           "how far the frontier goes; at least --leaves");
  line.set_work([options] { fit(*options); });
}

}  // namespace colltree
