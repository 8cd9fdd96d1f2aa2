// SPDX-License-Identifier: BSD-3-Clause
// Rules files as people write them, word for word: tests/data/rules/FORMAT.malformed, which a
// library ignores, refuses or misreads, with every defect by line (of MPICH's most are the stock
// file with one edit); FORMAT.others, which sites write, with every defect and with what is
// answered for some calls; and what the fuzzer found (tests/fuzz).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"

namespace colltree::rules {
namespace {

struct Case {
  std::string title;
  std::string content;
  std::string expected;
};

// Of tests/data/rules/FORMAT.KIND: "=== title", the content, "---", the defects and the answers.
std::vector<Case> read_cases(std::string_view kind, const std::string& format) {
  const std::string text =
      read_file(testing::data_dir() / "rules" / fmt::format("{}.{}", format, kind));
  std::vector<Case> cases;
  bool content = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = std::string(line.substr(4))});
      content = true;
    } else if (line == "---") {
      content = false;
    } else if (!cases.empty() && (content || !line.empty())) {
      (content ? cases.back().content : cases.back().expected) += std::string(line) + "\n";
    }
  }
  return cases;
}

std::string defects_of(const RuleFile& file) {
  std::string all;
  for (const Defect& defect : file.defects)
    all += fmt::format("{}: {}: {}\n", defect.line, name(defect.severity), defect.text);
  return all;
}

// "REPLACE" old "BY" new, in the file that a target writes without rules.
std::string edited(const RuleTarget& target, const std::string& content) {
  if (!content.starts_with("REPLACE\n")) return content;
  const std::size_t by = content.find("\nBY\n");
  const std::string old = content.substr(8, by - 8);
  const std::string now = content.substr(by + 4, content.size() - by - 5);
  std::string text = target.write({}, "");
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

class Malformed : public ::testing::TestWithParam<const char*> {};

TEST_P(Malformed, EveryDefectIsNamedWithItsLine) {
  const RuleTarget& target = find_rule_target(GetParam());
  const std::vector<Case> cases = read_cases("malformed", GetParam());
  EXPECT_GE(cases.size(), 40U);
  for (const Case& one : cases) {
    // The line break before "---" belongs to the table.
    std::string content = edited(target, one.content);
    const std::string got = defects_of(check_rules(target, content));
    EXPECT_EQ(got, one.expected) << one.title;
    EXPECT_NE(got, "") << one.title;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Malformed,
                         ::testing::Values("openmpi-4.1", "openmpi-5.0.7", "openmpi-han",
                                           "mpich-4.0", "ucc", "nccl", "intel", "intel-tuning",
                                           "smpi", "rules-json"));

std::string asked(const Rule& rule) {
  std::vector<std::string> words = rule.conditions;
  if (rule.nodes != Span{}) words.push_back(fmt::format("{} nodes", rule.nodes.least));
  if (rule.ranks_per_node != Span{})
    words.push_back(fmt::format("{} a node", rule.ranks_per_node.least));
  return join(words, ", ");
}

// "allreduce 8 1024 [ranks per node] -> method, conditions | other method, its conditions".
std::string answer(const RuleTarget& target, const RuleSet& rules, std::string_view question) {
  const auto words = split(trim(question), ' ');
  Instance at{*find_collective(words.at(0)), *parse_bytes(words.at(1)), *parse_bytes(words.at(2))};
  if (words.size() > 3) {
    at.ranks_per_node = *parse_bytes(words[3]);
    at.nodes = (at.communicator_size + at.ranks_per_node - 1) / at.ranks_per_node;
  }
  const auto said = [](const Rule& rule) {
    const std::string conditions = asked(rule);
    return rule.method.name() + (conditions.empty() ? "" : ", " + conditions);
  };
  const Rule* rule = find_rule(target, rules, at);
  std::string text =
      fmt::format("{}-> {}", question, rule == nullptr ? kDefaultAlgorithm : said(*rule));
  if (const CollectiveRules* own = rules.find(at.collective)) {
    for (const Rule* other : rules_of_other_calls(*own, query_of(target, at)))
      text += " | " + said(*other);
  }
  return text + "\n";
}

// Of several runs "question-> line 1: method; line 3: method".
std::string answers(const RuleTarget& target, const RuleFile& file, std::string_view question) {
  if (file.runs.empty()) return answer(target, file.rules, question);
  std::string text(question);
  for (const RunRules& run : file.runs) {
    std::string one = answer(target, run.rules, question).substr(question.size() + 3);
    one.pop_back();
    text +=
        fmt::format("{}{}: {}", text.size() == question.size() ? "-> " : "; ", run_text(run), one);
  }
  return text + "\n";
}

class FilesOfOthers : public ::testing::TestWithParam<const char*> {};

TEST_P(FilesOfOthers, AreReadAsTheLibraryReadsThem) {
  const RuleTarget& target = find_rule_target(GetParam());
  const std::vector<Case> all = read_cases("others", GetParam());
  EXPECT_GE(all.size(), 4U);
  for (const Case& one : all) {
    const RuleFile file = check_rules(target, one.content);
    std::string got = defects_of(file);
    for (const std::string_view line : split(one.expected, '\n')) {
      const std::size_t arrow = line.find("->");
      if (arrow != std::string_view::npos) got += answers(target, file, line.substr(0, arrow));
    }
    EXPECT_EQ(got, one.expected) << one.title;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FilesOfOthers,
                         ::testing::Values("ucc-1.3", "ucc", "nccl", "intel", "intel-tuning",
                                           "smpi"));

// Accepted, a file means the same after writing it again.
RuleFile accepted(const RuleTarget& target, const std::string& text) {
  RuleFile file = check_rules(target, text);
  for (const Defect& defect : file.defects) {
    EXPECT_NE(defect.severity, Severity::kError) << defect.text << "\n" << text;
  }
  return file;
}

struct AgainCase {
  const char* target;
  const char* file;  // of the fuzzer's corpus
  std::uint64_t ranks;
  const char* method;  // of a broadcast of 8 bytes
};

TEST(WrittenAgain, ChoosesTheSame) {
  const AgainCase cases[] = {{"openmpi-5.0.7", "communicators_of_0_ranks", 1, "binary"},
                             {"openmpi-han", "communicators_without_rules", 17, "tuned"},
                             {"openmpi-han", "communicators_without_rules", 18, "default"},
                             {"rules-json", "escape", 2, "linear"}};
  for (const AgainCase& one : cases) {
    SCOPED_TRACE(one.file);
    const RuleTarget& target = find_rule_target(one.target);
    const RuleFile file =
        accepted(target, read_file(testing::data_dir() / "../fuzz/corpus" / one.target / one.file));
    const RuleFile again = accepted(target, target.write(file.rules, ""));
    for (const RuleFile* rules : {&file, &again}) {
      const CollectiveRules* bcast = rules->rules.find(Collective::kBcast);
      ASSERT_NE(bcast, nullptr);
      EXPECT_EQ(decide(*bcast, {{.communicator_size = one.ranks, .message_size = 8}}).name(),
                one.method);
    }
  }
}

TEST(WrittenAgain, WhatIsNoEscapeIsRefused) {
  const RuleTarget& target = find_rule_target("rules-json");
  const RuleFile file =
      check_rules(target, read_file(testing::data_dir() / "../fuzz/corpus/rules-json/no_escape"));
  ASSERT_EQ(file.defects.size(), 1U);
  EXPECT_EQ(file.defects[0].line, 3U);
  EXPECT_EQ(file.defects[0].text, R"('\a' is no escape of JSON)");
}

}  // namespace
}  // namespace colltree::rules
