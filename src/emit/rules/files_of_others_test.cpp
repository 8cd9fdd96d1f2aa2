// SPDX-License-Identifier: BSD-3-Clause
// Files that sites write, and what the library makes of them: tests/data/rules/FORMAT.others, each
// with every defect and with what is answered for some calls, word for word.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/rule_target.h"

namespace colltree {
namespace {

struct OtherFile {
  std::string title;
  std::string content;
  std::string expected;
};

// "=== title", the content, "---", the defects and the answers.
std::vector<OtherFile> read_others(const std::string& text) {
  std::vector<OtherFile> all;
  bool content = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("=== ")) {
      all.push_back({.title = std::string(line.substr(4)), .content = {}, .expected = {}});
      content = true;
    } else if (line == "---") {
      content = false;
    } else if (!all.empty() && !(line.empty() && !content)) {
      (content ? all.back().content : all.back().expected) += std::string(line) + "\n";
    }
  }
  return all;
}

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

class FilesOfOthers : public ::testing::TestWithParam<const char*> {};

TEST_P(FilesOfOthers, AreReadAsTheLibraryReadsThem) {
  const RuleTarget& target = find_rule_target(GetParam());
  const std::vector<OtherFile> all = read_others(read_file(
      fmt::format("{}/rules/{}.others", colltree::testing::data_dir().string(), GetParam())));
  EXPECT_GE(all.size(), 4U);
  for (const OtherFile& one : all) {
    const RuleFile file = check_rules(target, one.content);
    std::string got;
    for (const Defect& defect : file.defects)
      got += fmt::format("{}: {}: {}\n", defect.line, name(defect.severity), defect.text);
    for (const std::string_view line : split(one.expected, '\n')) {
      const std::size_t arrow = line.find("->");
      if (arrow != std::string_view::npos) got += answer(target, file.rules, line.substr(0, arrow));
    }
    EXPECT_EQ(got, one.expected) << one.title;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FilesOfOthers,
                         ::testing::Values("ucc-1.3", "ucc", "ucc-conf", "nccl", "intel", "oneccl",
                                           "smpi"));

}  // namespace
}  // namespace colltree
