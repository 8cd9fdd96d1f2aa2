// SPDX-License-Identifier: BSD-3-Clause
// colltree-c45: C4.5 as Quinlan's release 8, with its option letters and its three files.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/input.h"
#include "base/options.h"
#include "base/streams.h"
#include "base/text.h"
#include "colltree/c45.hpp"
#include "release8/reader.h"
#include "release8/reports.h"
#include "release8/training.h"

namespace colltree {

namespace {

constexpr std::uint64_t kMostCases = 2147483647;

struct C45Options {
  std::string stem = "DF";
  c45::TrainOptions train;
  bool unseen = false;
  bool json = false;
  std::string emit;
  bool rules = false;
  c45::RuleOptions rule_options;
};

void check(const C45Options& options) {
  if ((options.rule_options.fisher_percent || options.rule_options.redundancy != 1) &&
      !options.rules) {
    throw UsageError("-F and -r are for --rules");
  }
  if (options.rules && (options.json || options.emit == "dot" || options.emit == "json")) {
    throw UsageError("--rules: prints a report, or with --emit text or c the rules");
  }
}

// Release 8 goes on after a few faulty cases; so do we, but the exit code tells.
void report_problems(const c45::Problems& problems, const C45Options& options) {
  for (const std::string& problem : problems) say(fmt::format("note: {}\n", printable(problem)));
  if (!problems.empty() && !options.train.tree.strict_r8) {
    throw Error(fmt::format(
        "{}: {} error{} in the input, noted above; fix {}: the result is what release 8 gives",
        options.stem, problems.size(), problems.size() == 1 ? "" : "s",
        problems.size() == 1 ? "it" : "them"));
  }
}

std::string rules_output(const C45Options& options, const c45::Dataset& data,
                         const c45::Training& training, const c45::Cases* test) {
  std::vector<const c45::Tree*> trees;
  for (const c45::Trial& trial : training.trials) trees.push_back(&trial.grown);
  c45::RuleOptions rule_options = options.rule_options;
  rule_options.confidence_percent = options.train.tree.confidence_percent;
  rule_options.strict_r8 = options.train.tree.strict_r8;
  c45::RulesOfTrees rules = c45::make_rules(trees, data.schema, data.cases, rule_options);
  if (options.emit.empty()) {
    return fmt::format("Read {} cases ({} attributes) from {}\n", data.cases.size(),
                       data.schema.attributes.size(), options.stem) +
           c45::rules_report(rules, data.schema, data.cases, test);
  }
  c45::drop_harmful_rules(rules.final_set, data.cases);
  return options.emit == "c" ? c45::rules_c(rules.final_set, data.schema, "c45_class")
                             : c45::rules_text(rules.final_set, data.schema);
}

std::string output(const C45Options& options, const c45::Dataset& data,
                   const c45::Training& training, const c45::Cases* test) {
  if (options.rules) return rules_output(options, data, training, test);
  const c45::Tree& tree = training.trials[training.best].pruned;
  if (options.json) return c45::summary_json(data, training, test) + "\n";
  if (options.emit == "text") return c45::tree_text(tree, data.schema);
  if (options.emit == "json") return c45::tree_json(tree) + "\n";
  if (options.emit == "dot") return c45::tree_dot(tree, data.schema);
  if (options.emit == "c") return c45::tree_c(tree, data.schema, "c45_class");
  return c45::report_text(data, training, options.stem, test);
}

void run_c45(const C45Options& options) {
  check(options);
  c45::Problems problems;
  c45::Dataset data = c45::read_dataset(options.stem, problems);
  const c45::Training training = c45::train(data.schema, data.cases, options.train);
  c45::Cases test;
  const std::filesystem::path test_path = c45::with_ending(options.stem, ".test");
  const bool tested = options.unseen && std::filesystem::exists(test_path);
  if (tested) {
    test = c45::parse_cases(read_text(test_path), test_path.string(), data.schema, problems);
  }
  fmt::print("{}", output(options, data, training, tested ? &test : nullptr));
  report_problems(problems, options);
}

void declare(CLI::App& app, C45Options& options) {
  c45::TreeOptions& tree = options.train.tree;
  c45::WindowOptions& windows = options.train.windowing;
  app.add_option("-f", options.stem, "file stem: STEM.names, STEM.data, STEM.test");
  app.add_option("-m", tree.weight,
                 "least weight (number of cases) of at least two branches of every test")
      ->transform(whole_number({1, c45::kMostWeight}));
  app.add_option("-c", tree.confidence_percent, "confidence level of pruning, percent")
      ->transform(real_number<float>({c45::kLeastConfidencePercent, 100, true}));
  app.add_flag("-g", tree.gain_only, "gain criterion instead of gain ratio");
  app.add_flag("-s", tree.group, "group the values of discrete attributes");
  app.add_flag("-p", options.train.soft_thresholds, "soft thresholds");
  app.add_flag("-u", options.unseen, "evaluate on STEM.test too");
  app.add_option("-t", windows.trials, "windowing: number of trials")
      ->transform(whole_number({1, 10000}));
  app.add_option("-w", windows.window, "windowing: cases in the first window")
      ->transform(whole_number({1, kMostCases}));
  app.add_option("-i", windows.increment, "windowing: most cases added in a cycle")
      ->transform(whole_number({1, kMostCases}));
  app.add_flag("--strict-r8", tree.strict_r8, "keep release 8's defects (docs/reference/c45.md)");
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("--emit", options.emit, "print only the pruned tree, as text, c, dot or json")
      ->check(CLI::IsMember({"text", "c", "dot", "json"}));
  app.add_flag("--rules", options.rules,
               "production rules from the unpruned trees (as c4.5rules) instead of trees");
  app.add_option("-F", options.rule_options.fisher_percent,
                 "rules: also drop conditions that Fisher's exact test finds less significant than "
                 "this, percent")
      ->transform(real_number<float>({0, 100, true}));
  app.add_option("-r", options.rule_options.redundancy, "rules: redundancy of the attributes")
      ->transform(real_number<float>({0, 1e6, true}));
  app.callback([&options] { run_c45(options); });
  app.footer("Example:\n  colltree-c45 -f STEM -m 40 -c 5");
}

}  // namespace

}  // namespace colltree

int main(int argc, char** argv) {
  colltree::prepare_streams();
  const auto program = colltree::make_program(
      "colltree-c45",
      "colltree-c45: grow and prune a C4.5 tree from STEM.names and STEM.data, as release 8",
      [] { return std::string(COLLTREE_VERSION); });
  colltree::C45Options options;
  colltree::declare(*program, options);
  return colltree::run_program(*program, {argv + std::min(argc, 1), argv + argc});
}
