// SPDX-License-Identifier: BSD-3-Clause
// Lines of shell assignments as Intel MPI and oneCCL are set up by, and what a shell would not
// take.
#include "emit/rules/value_list.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

TEST(Assignments, AreWhatAShellReads) {
  const auto all = read_assignments(
      "# comment\n\n  export A=\"1;2\"  \nB='x y'\nC=plain\nD=\nexport E=\"\"\r\n");
  struct Line {
    std::size_t line;
    const char* variable;
    const char* value;
  };
  const Line expected[] = {
      {3, "A", "1;2"}, {4, "B", "x y"}, {5, "C", "plain"}, {6, "D", ""}, {7, "E", ""}};
  ASSERT_EQ(all.size(), std::size(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].line, expected[i].line);
    EXPECT_EQ(all[i].variable, expected[i].variable);
    EXPECT_EQ(all[i].value, expected[i].value);
    EXPECT_EQ(all[i].problem, "");
  }
}

TEST(Assignments, WhatAShellReadsOtherwiseIsSaid) {
  struct Case {
    const char* line;
    const char* problem;
  };
  constexpr const char* kBlanks = "blanks around '=': a shell does not read this as an assignment";
  const Case cases[] = {{"A", "expected VARIABLE=VALUE, got 'A'"},
                        {"export", "expected VARIABLE=VALUE, got 'export'"},
                        {"A =1", kBlanks},
                        {"A= 1", kBlanks},
                        {"A=1;2", "';' without quotes ends the command in a shell"},
                        {"A=\"1", "a quote without its end"},
                        {"A=\"1'", "a quote without its end"},
                        {"A=\"", "a quote without its end"}};
  for (const Case& one : cases) {
    const auto all = read_assignments(one.line);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].problem, one.problem) << one.line;
  }
}

TEST(BlankTokens, AreWordsWithTheirLinesUpToAComment) {
  const auto tokens = blank_tokens("a\tbc # d\n\n  e\r\n#f\ng#h");
  const std::pair<const char*, std::size_t> expected[] = {{"a", 1}, {"bc", 1}, {"e", 3}, {"g", 5}};
  ASSERT_EQ(tokens.size(), std::size(expected));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].text, expected[i].first);
    EXPECT_EQ(tokens[i].line, expected[i].second);
  }
}

TEST(VariableLines, AreReadAsTheyAreWritten) {
  const std::string line = variable_line("CCL_", Collective::kReduceScatter, "ring:0-7");
  EXPECT_EQ(line, "export CCL_REDUCE_SCATTER=\"ring:0-7\"\n");
  EXPECT_EQ(read_assignments(line).at(0).value, "ring:0-7");
  EXPECT_EQ(variable_line("CCL_", Collective::kBcast, ""), "");
}

TEST(Ends, OfIntervalsHaveAWordForNone) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 40, UINT64_MAX})
    EXPECT_EQ(end_of(end_text(value, "max"), "max"), value);
  EXPECT_EQ(end_text(UINT64_MAX, "*"), "*");
  for (const char* bad : {"", "-1", "max", "7x", " 7"}) EXPECT_FALSE(end_of(bad, "*")) << bad;
}

struct Read {
  RuleFile file;
  std::vector<std::string> values;  // "LINE COLLECTIVE VALUE"
};

Read read_oneccl_variables(std::string_view content) {
  Read read;
  const RuleTarget& target = find_rule_target("oneccl");
  read_collective_variables(target, "CCL_", content, read.file, [&](const CollectiveVariable& one) {
    read.values.push_back(std::to_string(one.line) + " " + std::string(name(one.collective)) + " " +
                          std::string(one.value));
    read.file.rules.of(one.collective).rules.emplace_back();
  });
  return read;
}

TEST(CollectiveVariables, AreReadOnceEachAndWhatIsWrongHasItsLine) {
  Read read = read_oneccl_variables(
      "CCL_BCAST=direct\nCCL_bcast=ring\nCCL_BCATS=ring\nOTHER=1\nCCL_ALLREDUCE=\nA B\n"
      "CCL_BCAST=\"naive\"\n");
  EXPECT_EQ(read.values, (std::vector<std::string>{"1 bcast direct", "7 bcast naive"}));
  EXPECT_EQ(read.file.rules.of(Collective::kBcast).rules.size(), 1U) << "those of line 7";
  std::vector<std::string> defects;
  for (const Defect& one : read.file.defects) {
    EXPECT_EQ(one.severity, Severity::kError);
    defects.push_back(std::to_string(one.line) + ": " + one.text);
  }
  EXPECT_EQ(defects, (std::vector<std::string>{
                         "2: unknown collective 'bcast'; did you mean 'BCAST'?",
                         "3: unknown collective 'BCATS'; did you mean 'BCAST'?",
                         "4: 'OTHER' is no CCL_<COLLECTIVE>", "5: CCL_ALLREDUCE is empty",
                         "6: expected VARIABLE=VALUE, got 'A B'",
                         "7: CCL_BCAST stands twice: the last one counts"}));
}

TEST(CollectiveVariables, AFileWithoutOneHasNoRules) {
  const Read read = read_oneccl_variables("# nothing\n");
  ASSERT_EQ(read.file.defects.size(), 1U);
  EXPECT_EQ(read.file.defects[0].text, "no variable: the file has no rules");
}

}  // namespace
}  // namespace colltree
