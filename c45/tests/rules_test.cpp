// SPDX-License-Identifier: BSD-3-Clause
// Production rules: every recorded run of c4.5rules (c45/tests/data/README.md), the defect that is
// repaired by default, and rules as compiled C.
#include "engine/rules/rules.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/input.h"
#include "base/test_paths.h"
#include "base/test_sample.h"
#include "release8/reader.h"
#include "release8/reports.h"
#include "release8/training.h"

namespace colltree::c45 {
namespace {

namespace fs = std::filesystem;

const std::string kData = colltree::testing::unpacked_dir().string() + "/c45/";

// From the name of a recorded run: t3_m2_c25.
TrainOptions parse_run(const std::string& name) {
  TrainOptions options;
  options.tree.strict_r8 = true;
  std::size_t at = 0;
  while (at < name.size()) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    const std::string value = name.substr(at + 1, end - at - 1);
    switch (name[at]) {
      case 'm':
        options.tree.weight = std::atoi(value.c_str());
        break;
      case 'c':
        options.tree.confidence_percent = std::strtof(value.c_str(), nullptr);
        break;
      case 't':
        options.windowing.trials = std::stoull(value);
        break;
      case 's':
        options.tree.group = true;
        break;
      default:
        ADD_FAILURE() << "an option this test does not know: " << name;
    }
    at = end + 1;
  }
  return options;
}

RulesOfTrees rules_of(const Dataset& data, const TrainOptions& options) {
  const Training training = train(data.schema, data.cases, options);
  std::vector<const Tree*> trees;
  for (const Trial& trial : training.trials) trees.push_back(&trial.grown);
  return make_rules(
      trees, data.schema, data.cases,
      {.confidence_percent = options.tree.confidence_percent, .strict_r8 = options.tree.strict_r8});
}

std::string recorded(const fs::path& path) {
  const std::string text = read_file(path);
  const std::size_t heading = text.find("\n------------------\nProcessing tree 0");
  EXPECT_NE(heading, std::string::npos) << path;
  return text.substr(heading);
}

void expect_same_report(const fs::path& path) {
  SCOPED_TRACE(path.string());
  // <split>/out/<set>/<options>.rules.out
  const std::string stem =
      path.parent_path().parent_path().parent_path() / path.parent_path().filename();
  const TrainOptions options = parse_run(path.stem().stem());
  Problems problems;
  Dataset data = read_dataset(stem, problems);
  Cases test;
  if (fs::exists(stem + ".test")) {
    test = parse_cases(read_file(stem + ".test"), stem + ".test", data.schema, problems);
  }
  const std::string ours = rules_report(rules_of(data, options), data.schema, data.cases, &test);
  const std::string theirs = recorded(path);
  const auto differ = std::ranges::mismatch(ours, theirs);
  if (differ.in1 == ours.end() && differ.in2 == theirs.end()) return;
  const auto line = std::count(ours.begin(), differ.in1, '\n') + 1;
  ADD_FAILURE() << "differs in line " << line;
}

TEST(C45Rules, ReportsAgreeWithRelease8) {
  std::set<fs::path> runs;
  for (const char* split : {"public", "windowed_rules"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kData + split + "/out"))
      if (entry.path().string().ends_with(".rules.out")) runs.insert(entry.path());
  }
  ASSERT_EQ(runs.size(), 80U);
  for (const std::size_t run : colltree::testing::sampled(runs.size()))
    expect_same_report(*std::next(runs.begin(), static_cast<std::ptrdiff_t>(run)));
}

Rule rule(std::uint32_t label, float error, bool above) {
  return {.label = label, .error = error, .conditions = {{.cut = 5, .above = above}}};
}

TEST(C45Rules, RulesThatDifferInDirectionAreMergedOnlyByRelease8) {
  for (const bool strict : {false, true}) {
    std::vector<Rule> rules;
    add_rule(rules, rule(1, 0.1F, false), strict);
    add_rule(rules, rule(1, 0.2F, true), strict);
    add_rule(rules, rule(1, 0.3F, false), strict);
    add_rule(rules, rule(2, 0.1F, false), strict);
    ASSERT_EQ(rules.size(), strict ? 2U : 3U);
    EXPECT_FLOAT_EQ(rules[0].error, 0.3F);
  }
}

TEST(C45Rules, AFishersTestDropsWhatIsNotSignificant) {
  Problems problems;
  Dataset data = read_dataset(kData + "public/p01_bcast_small", problems);
  const Training training = train(data.schema, data.cases, {});
  const auto conditions = [&](std::optional<float> fisher_percent) {
    const RulesOfTrees rules = make_rules({&training.trials[0].grown}, data.schema, data.cases,
                                          {.fisher_percent = fisher_percent});
    std::size_t count = 0;
    for (const Rule& one : rules.final_set.rules) count += one.conditions.size();
    return count;
  };
  EXPECT_EQ(conditions(100), conditions({}));
  EXPECT_LT(conditions(0.0001F), conditions({}));
}

class Compiled {
 public:
  Compiled(const std::string& source, const std::string& name)
      : stem_(fs::temp_directory_path() / fmt::format("colltree-rules-{}-{}", getpid(), name)) {
    write_file(stem_ + ".c", source);
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -Werror -Wno-unused-parameter -shared -fPIC -o {0}.so {0}.c",
        stem_);
    if (std::system(command.c_str()) == 0) library_ = dlopen((stem_ + ".so").c_str(), RTLD_NOW);
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    fs::remove(stem_ + ".c");
    fs::remove(stem_ + ".so");
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  void* function(const char* name) const {
    return library_ == nullptr ? nullptr : dlsym(library_, name);
  }

 private:
  std::string stem_;
  void* library_ = nullptr;
};

// p07 and p20 have unknown values; collective and node type are discrete.
TEST(C45Rules, CompiledRulesDecideAsTheRules) {
  for (const char* set : {"p07_missing5", "p03_three_paper"}) {
    SCOPED_TRACE(set);
    Problems problems;
    Dataset data = read_dataset(kData + "public/" + set, problems);
    const RuleSet rules = rules_of(data, parse_run("s_m2_c25")).final_set;
    const Compiled compiled(rules_c(rules, data.schema, "decide"), set);
    using Decide = int (*)(int, float, float);
    const auto decide = reinterpret_cast<Decide>(compiled.function("decide"));
    ASSERT_NE(decide, nullptr);
    const std::vector<std::uint32_t> answers = classify(rules, data.cases);
    for (std::uint32_t id = 0; id < data.cases.size(); ++id) {
      const int answer = decide(static_cast<int>(data.cases.values[0][id]),
                                data.cases.numbers[1][id], data.cases.numbers[2][id]);
      ASSERT_EQ(static_cast<std::uint32_t>(answer), answers[id]) << id;
    }
  }
}

}  // namespace
}  // namespace colltree::c45
