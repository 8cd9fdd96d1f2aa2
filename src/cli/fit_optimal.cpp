// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/optimal/optimal_model.h"

namespace colltree {

using nlohmann::json;

namespace {

struct Options {
  FitInput input;
  OptimalOptions tree;
  std::string leaves = "10";
  std::string objective = "mean";
  std::string frontier;
  std::string memory_limit = "4G";
};

// leaves,value,lower_bound: the last is the value where it is proved.
void write_frontier(const json& frontier, const std::string& path) {
  std::string text = "leaves,value,lower_bound\n";
  const auto field = [](const json& value) {
    return value.is_null() ? std::string() : format_double(value.get<double>());
  };
  for (const json& point : frontier) {
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
  const json proof = model.statistics().at("certificate");
  const std::string what = fmt::format("{} of {}", proof.at("objective").get<std::string>(),
                                       value_text(model, proof.at("value").get<double>()));
  std::string tests;
  for (const json& test : proof.at("tests")) {
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

void set_leaves(Options& options) {
  options.tree.choose_leaves = options.leaves == "auto";
  const auto leaves = parse_number<std::size_t>(options.leaves);
  if (!leaves && !options.tree.choose_leaves) {
    throw UsageError(
        fmt::format("--leaves: expected a whole number or auto, got '{}'", options.leaves));
  }
  options.tree.leaves = leaves.value_or(std::max(kMostChosenLeaves, options.tree.frontier_leaves));
}

void print_choice(const OptimalModel& model) {
  const json choice = model.statistics().value("size_choice", json::object());
  if (!choice.contains("chosen")) return;
  for (const json& size : choice.at("held_out")) {
    if (size.at(0) != choice.at("best") && size.at(0) != choice.at("chosen")) continue;
    fmt::print("  {} leaves: {:.2f} % on points left out, standard error {:.2f}{}{}\n",
               size.at(0).dump(), 100 * size.at(1).get<double>(), 100 * size.at(2).get<double>(),
               size.at(0) == choice.at("best") ? ", the least" : "",
               size.at(0) == choice.at("chosen") ? ", chosen" : "");
  }
}

void fit(Options& options) {
  set_leaves(options);
  const auto memory = parse_bytes(options.memory_limit);
  if (!memory) throw UsageError("--memory-limit: expected bytes such as 4G");
  options.tree.memory_limit_bytes = *memory;
  options.tree.objective = optimal::parse_objective(options.objective);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  if (!options.input.mix.empty()) options.tree.mix = load_call_mix(options.input.mix);
  const auto fitted = fit_optimal(origin_of(timings), timings, options.tree);
  OptimalModel& model = *fitted;
  const json penalty = penalty_statistics(model, timings);
  for (const auto& [name, value] : penalty.items()) model.add_statistic(name, value);
  if (!options.frontier.empty()) {
    write_frontier(model.statistics().at("frontier"), options.frontier);
  }
  save_and_report(model, options.input);
  if (options.input.json) return;
  print_certificate(model);
  print_choice(model);
}

}  // namespace

void declare_fit_optimal(CLI::App& app) {
  auto options = std::make_shared<Options>();
  OptimalOptions& tree = options->tree;
  add_fit_options(app, options->input);
  app.add_option("--leaves", options->leaves,
                 "most leaves of the tree; auto: as many as points left out of the fit speak for")
      ->capture_default_str();
  app.add_option("--objective", options->objective,
                 "what is least: mean, max or a quantile (p95) of the penalty, or mean time")
      ->capture_default_str();
  app.add_option("--mix", options->input.mix,
                 "CSV of an application's calls: points count as often as they are called");
  app.add_flag("--power-of-two", tree.power_of_two,
               "also test whether the communicator size is a power of two");
  app.add_flag("--noise-aware", tree.noise_aware,
               "methods whose interval meets the best one's lose nothing");
  app.add_option("--time-limit", tree.time_limit_s,
                 "seconds; a search that is stopped states the bound that is left");
  app.add_option("--memory-limit", options->memory_limit, "the same for memory")
      ->capture_default_str();
  app.add_option("--frontier", options->frontier, "CSV of the least value for each leaf budget");
  app.add_option("--frontier-leaves", tree.frontier_leaves,
                 "how far the frontier goes; at least --leaves");
  app.callback([options] { fit(*options); });
}

}  // namespace colltree
