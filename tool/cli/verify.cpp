// SPDX-License-Identifier: BSD-3-Clause
// `colltree verify`: what a rules file gains over the library's default, measured here and now.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/input.h"
#include "base/table.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/measure_options.h"
#include "deploy/side_by_side.h"
#include "measure/grid.h"
#include "rules/check_rules.h"

namespace colltree::cli {

namespace {

constexpr std::uint64_t kSeed = 1;  // of the bootstrap

struct VerifyOptions {
  std::vector<std::string> rules;
  std::size_t rounds = 10;
  std::string launcher;
  std::string mpi;
  std::string collective_names = "all";
  SizeList communicator_sizes;
  SizeList message_sizes{"1..64K:x4"};
  std::uint32_t samples = 30;
  bool json = false;
};

const std::vector<Column> kGainColumns = {{"gain", "gain", "  {:>6.3f}"},
                                          {"low", "95 % interval", "  {:>6.3f}"},
                                          {"high", "", " to {:>6.3f}"},
                                          {"verdict", "", "  {}"}};

std::vector<Cell> gain_cells(const evaluate::Gain& gain) {
  const std::string_view verdict = evaluate::verdict(gain);
  if (!std::isfinite(gain.interval.high))
    return {gain.factor, Cell(gain.interval.low, "(too few rounds for an interval)"),
            Cell(gain.interval.high, ""), Cell(verdict, "")};
  return {gain.factor, gain.interval.low, gain.interval.high, verdict};
}

void add_gain(std::vector<Cell> cells, const evaluate::Gain& gain, Table& table) {
  std::ranges::move(gain_cells(gain), std::back_inserter(cells));
  table.add(std::move(cells));
}

// "all": those that a file has rules for.
std::vector<Collective> wanted_collectives(const std::string& names,
                                           const std::vector<DeployedRules>& deployed) {
  if (names != "all") return parse_collectives(names);
  std::set<Collective> collectives;
  for (const DeployedRules& file : deployed) {
    for (const rules::CollectiveRules& rules : file.rules.collectives) {
      if (!rules.rules.empty()) collectives.insert(rules.collective);
    }
  }
  if (collectives.empty()) throw Error("the file has no rules");
  return {collectives.begin(), collectives.end()};
}

void verify(const VerifyOptions& options) {
  const rules::RuleTarget* target =
      rules::detect_target(read_file(options.rules[0], kMostModelBytes));
  const std::string_view library =
      target != nullptr && target->library ? name(*target->library) : "";
  const measure::JobStarter starter(options.launcher,
                                    flavour_for(options.launcher, options.mpi, library));
  const auto deployed = deployed_rules(starter.mpi(), options.rules);
  deploy::SideBySideRequest request;
  request.instances =
      measure::instances_of(wanted_collectives(options.collective_names, deployed),
                            {options.communicator_sizes.sizes, options.message_sizes.sizes});
  request.deployed = arm_of(deployed);
  request.rounds = options.rounds;
  request.samples = options.samples;
  request.beside = std::filesystem::absolute(options.rules[0]).string();
  const deploy::RoundsOfPairs pairs =
      deploy::in_most_rounds(deploy::measure_side_by_side(request, starter), options.rounds);
  if (pairs.empty()) throw Error("no instance was measured in most of the rounds");
  std::vector<std::vector<evaluate::Pair>> pairs_of_instances;
  std::vector<Column> columns = {{"collective", "collective", "{:<22}"},
                                 {"communicator_size", "ranks", " {:>5}"},
                                 {"message_size", "bytes", " {:>9}"},
                                 {"default_us", "default us", " {:>12.2f}"},
                                 {"tuned_us", "rules us", " {:>12.2f}"}};
  std::ranges::copy(kGainColumns, std::back_inserter(columns));
  Table table(std::move(columns));
  for (const auto& [instance, rounds] : pairs) {
    const evaluate::Pair middle = evaluate::medians(rounds);
    pairs_of_instances.push_back(rounds);
    add_gain({name(instance.collective), instance.communicator_size, instance.message_size,
              middle.default_us, middle.tuned_us},
             evaluate::gain_of({rounds}, kSeed), table);
  }
  const evaluate::Gain total_gain = evaluate::gain_of(pairs_of_instances, kSeed);
  if (options.json) {
    Table total(kGainColumns);
    add_gain({}, total_gain, total);
    return print_results(
        "colltree/verify/1",
        {{"rounds", options.rounds}, {"instances", table.json()}, {"total", total.json()[0]}});
  }
  add_gain({"in total", {}, {}, {}, {}}, total_gain, table);
  fmt::print(
      "{}\ngain: geometric mean of time of the default / time under the rules, by {} rounds with "
      "both; "
      "the times are medians\n",
      table.text(), options.rounds);
}

}  // namespace

void declare_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  add_rules_option(app, options->rules)->required();
  add_launcher_options(app, options->launcher, options->mpi)->required();
  app.add_option("--collective", options->collective_names,
                 "collectives to measure, comma-separated; all: those that the file has rules for")
      ->capture_default_str();
  app.add_option("--communicator-sizes", options->communicator_sizes,
                 "numbers of ranks, as a list with ranges; a job of the largest is started")
      ->transform(size_list(limits::kMeasuredRanks))
      ->required();
  app.add_option("--message-sizes", options->message_sizes,
                 "message sizes in bytes, as a list with ranges")
      ->transform(size_list(limits::kMeasuredBytes))
      ->default_str(options->message_sizes.text);
  app.add_option("--rounds", options->rounds,
                 "number of rounds, both arms in each; an interval needs 5")
      ->transform(whole_number({1, 1000}))
      ->capture_default_str();
  app.add_option("--samples", options->samples, "number of samples in a round at every instance")
      ->transform(whole_number({1, 100000}))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print the results as JSON");
  app.callback([options] { verify(*options); });
}

}  // namespace colltree::cli
