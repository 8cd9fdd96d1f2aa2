// SPDX-License-Identifier: BSD-3-Clause
// Files that a library ignores, refuses or misreads, with every defect by line, word for word:
// tests/data/rules/FORMAT.malformed. Of MPICH's files most are the stock file with one edit.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/rule_target.h"

namespace colltree {
namespace {

struct Case {
  std::string title;
  std::string content;
  std::string expected;
};

// "=== title", the content, "---", the defects.
std::vector<Case> read_cases(const std::string& text) {
  std::vector<Case> cases;
  bool content = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = std::string(line.substr(4))});
      content = true;
    } else if (line == "---") {
      content = false;
    } else if (!cases.empty()) {
      (content ? cases.back().content : cases.back().expected) += std::string(line) + "\n";
    }
  }
  if (!cases.empty()) cases.back().expected.pop_back();  // the file's last line break
  return cases;
}

// "REPLACE" old "BY" new, in the file that a target writes without rules.
std::string edited(const RuleTarget& target, const std::string& content) {
  if (!content.starts_with("REPLACE\n")) return content;
  const std::size_t by = content.find("\nBY\n");
  const std::string old = content.substr(8, by - 8);
  const std::string now = content.substr(by + 4, content.size() - by - 5);
  std::string text = target.write(target, {}, "");
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

// The files of tests/data/rules/NAME.malformed, read so.
void expect_defects(const RuleTarget& target, const std::string& name, std::size_t fewest,
                    RuleFile (*read)(const RuleTarget& target, std::string_view content)) {
  const std::vector<Case> cases = read_cases(read_file(
      fmt::format("{}/rules/{}.malformed", colltree::testing::data_dir().string(), name)));
  EXPECT_GE(cases.size(), fewest);
  for (const Case& one : cases) {
    // The line break before "---" belongs to the table.
    std::string content = edited(target, one.content);
    const RuleFile file = read(target, content);
    std::string got;
    for (const Defect& defect : file.defects) {
      got += fmt::format("{}: {}: {}\n", defect.line, colltree::name(defect.severity), defect.text);
    }
    EXPECT_EQ(got, one.expected) << one.title;
    EXPECT_NE(got, "") << one.title;
  }
}

class Malformed : public ::testing::TestWithParam<const char*> {};

TEST_P(Malformed, EveryDefectIsNamedWithItsLine) {
  expect_defects(find_rule_target(GetParam()), GetParam(), 40, check_rules);
}

// Each was tried with MPICH 4.0.2.
TEST(MalformedDevice, EveryDefectIsNamedWithItsLine) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  expect_defects(target, "mpich-4.0.device", 12, target.read_companion);
  constexpr const char* kOfLater =
      "{ \"collective=alltoall\": { \"composition=MPIDI_Alltoall_intra_composition_beta\": {} } }";
  EXPECT_EQ(target.read_companion(target, kOfLater).defects.front().severity, Severity::kError);
  const RuleTarget& later = find_rule_target("mpich-4.2");
  EXPECT_EQ(later.read_companion(later, kOfLater).defects.front().severity, Severity::kWarning);
}

INSTANTIATE_TEST_SUITE_P(Formats, Malformed,
                         ::testing::Values("openmpi-4.1", "openmpi-5.0.7", "openmpi-han",
                                           "openmpi-6", "mpich-4.0", "ucc", "nccl", "intel",
                                           "oneccl", "smpi", "rules-csv", "rules-json"));

}  // namespace
}  // namespace colltree
