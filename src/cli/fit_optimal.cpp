// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "cli/fit_parameters.h"
#include "model/optimal/optimal_model.h"

namespace colltree {

namespace {

struct Options {
  FitInput input;
  ParameterOptions parameters;
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = OptimalOptions{}.memory_limit_bytes;
  std::size_t frontier_leaves = 0;
  std::string frontier;
};

// leaves,value,lower_bound: the last is the value where it is proved.
void write_frontier(const Json& frontier, const std::string& path) {
  std::string text = "leaves,value,lower_bound\n";
  const auto field = [](const Json& value) {
    return value.is_null() ? std::string() : format_double(value.get<double>());
  };
  for (const Json& point : frontier) {
    text += fmt::format("{},{},{}\n", point.at(0).get<std::size_t>(), field(point.at(1)),
                        field(point.back()));
  }
  write_file(path, text);
}

std::string value_text(const OptimalModel& model, double value) {
  return model.parameters().at("objective") == "time" ? fmt::format("{:.4g} us", value)
                                                      : fmt::format("{:.4f} %", 100 * value);
}

void print_certificate(const OptimalModel& model) {
  const Json proof = model.statistics().at("certificate");
  const std::string what = fmt::format("{} of {}", proof.at("objective").get<std::string>(),
                                       value_text(model, proof.at("value").get<double>()));
  std::string tests;
  for (const Json& test : proof.at("tests")) {
    tests += (tests.empty() ? "" : ", ") + test.get<std::string>();
  }
  if (proof.at("status") == "optimal") {
    fmt::print("  optimal: no tree of {} leaves on {} has less than {}\n",
               proof.at("leaves").dump(), tests, what);
  } else {
    fmt::print("  stopped by a limit: {}; no tree of {} leaves on {} has less than {}\n", what,
               proof.at("leaves").dump(), tests,
               value_text(model, proof.at("lower_bound").get<double>()));
  }
}

OptimalOptions tree_options(const Options& options) {
  OptimalOptions tree = optimal_options(options.parameters.values());
  tree.frontier_leaves = options.frontier_leaves;
  if (tree.choose_leaves) tree.leaves = std::max(tree.leaves, tree.frontier_leaves);
  tree.time_limit_s = options.time_limit_s;
  tree.memory_limit_bytes = options.memory_limit_bytes;
  return tree;
}

void print_choice(const OptimalModel& model) {
  const Json choice = model.statistics().value("size_choice", Json::object());
  if (!choice.contains("chosen")) return;
  for (const Json& size : choice.at("held_out")) {
    if (size.at(0) != choice.at("best") && size.at(0) != choice.at("chosen")) continue;
    fmt::print("  {} leaves: {:.2f} % on points left out, standard error {:.2f}{}{}\n",
               size.at(0).dump(), 100 * size.at(1).get<double>(), 100 * size.at(2).get<double>(),
               size.at(0) == choice.at("best") ? ", the least" : "",
               size.at(0) == choice.at("chosen") ? ", chosen" : "");
  }
}

void fit(const Options& options) {
  OptimalOptions tree = tree_options(options);
  if (!options.frontier.empty()) check_writable(options.frontier);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  if (!options.input.mix.empty()) tree.mix = load_call_mix(options.input.mix);
  const auto fitted = fit_optimal(origin_of(timings), timings, tree);
  OptimalModel& model = *fitted;
  add_penalty_statistics(model, timings);
  if (!options.frontier.empty()) {
    write_frontier(model.statistics().at("frontier"), options.frontier);
  }
  save_and_report(model, options.input);
  if (options.input.json) return;
  print_certificate(model);
  print_choice(model);
}

}  // namespace

void declare_fit_optimal(CommandLine& line) {
  auto options = std::make_shared<Options>();
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
