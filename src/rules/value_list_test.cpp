// SPDX-License-Identifier: BSD-3-Clause
// Lines of shell assignments as Intel MPI and oneCCL are set up by, and what a shell would not
// take.
#include "rules/value_list.h"

#include <gtest/gtest.h>

namespace colltree::rules {
namespace {

std::string text_of(std::string_view script) {
  std::string text;
  for (const Assignment& one : read_assignments(script, "V_")) {
    text += std::to_string(one.line) + " " + one.variable + "=" + one.value +
            (one.expanded ? " (expanded)" : "") + (one.problem.empty() ? "" : ": " + one.problem) +
            "\n";
  }
  return text;
}

TEST(Assignments, AreWhatAShellReads) {
  EXPECT_EQ(text_of("# V_A=0\n\n  export V_A=\"1;2\"  \nV_B='x y'\nV_C=plain\nV_D=\nexport "
                    "V_E=\"\"\r\n"),
            "3 V_A=1;2\n4 V_B=x y\n5 V_C=plain\n6 V_D=\n7 V_E=\n");
  EXPECT_EQ(text_of("V_A=\"2\"   # a comment\nV_B=a#b#c # another\n"), "1 V_A=2\n2 V_B=a#b#c\n");
  EXPECT_EQ(text_of("export V_A=1 V_B=2; export V_C=3 && V_D=4 ./a.out\n"),
            "1 V_A=1\n1 V_B=2\n1 V_C=3\n1 V_D=4\n");
  EXPECT_EQ(text_of("setenv V_A 2\nmpirun -np 4 -genv V_B '1;2' -genv V_C=3 ./a.out\n"),
            "1 V_A=2\n2 V_B=1;2\n2 V_C=3\n");
  EXPECT_EQ(text_of("V_A=\"x#\\\ny\"\nV_B=a\\\nb\nV_C='o'\"n\"e\n"),
            "1 V_A=x#y\n3 V_B=ab\n5 V_C=one\n");
  EXPECT_EQ(text_of("V_A=1\nunset V_A\nV_B=$N\nV_C='$N'\nV_D=\"`x`\"\n"),
            "3 V_B=$N (expanded)\n4 V_C=$N\n5 V_D=`x` (expanded)\n");
}

TEST(Assignments, OfOthersAndCommandsAreNoMatter) {
  EXPECT_EQ(text_of("module load x\nif [ -n \"$A\" ]; then OTHER=1; fi\nexport V_A\necho it\'s\n"
                    "srun ./a.out\n"),
            "");
}

TEST(Assignments, WhatAShellReadsOtherwiseIsSaid) {
  struct Case {
    const char* line;
    const char* problem;
  };
  constexpr const char* kBlanks = "blanks around '=': a shell does not read this as an assignment";
  const Case cases[] = {{"V_A", "expected VARIABLE=VALUE, got 'V_A'"},
                        {"V_A =1", kBlanks},
                        {"export V_A = 1", kBlanks},
                        {"V_A= 1", kBlanks},
                        {"V_A=1;2", "';' without quotes ends the command in a shell"},
                        {"V_A=a:0-7;b:8-9", "';' without quotes ends the command in a shell"},
                        {"V_A=\"1", "a quote without its end"},
                        {"V_A=\"1'", "a quote without its end"},
                        {"V_A=\"", "a quote without its end"}};
  for (const Case& one : cases) {
    const auto all = read_assignments(one.line, "V_");
    ASSERT_EQ(all.size(), 1U) << one.line;
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
  const std::string line = variable_line("CCL_", "reduce_scatter", "ring:0-7");
  EXPECT_EQ(line, "export CCL_REDUCE_SCATTER=\"ring:0-7\"\n");
  EXPECT_EQ(read_assignments(line, "CCL_").at(0).value, "ring:0-7");
  EXPECT_EQ(variable_line("CCL_", "bcast", ""), "");
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
  read_collective_variables(
      target, "CCL_", content, read.file,
      [](std::string_view word) -> std::optional<std::string> {
        if (word == "LOG") return "";
        return std::nullopt;
      },
      [&](const CollectiveVariable& one) {
        read.values.push_back(std::to_string(one.line) + " " + std::string(name(one.collective)) +
                              " " + std::string(one.value));
        read.file.rules.of(one.collective).rules.emplace_back();
      });
  return read;
}

TEST(CollectiveVariables, AreReadOnceEachAndWhatIsWrongHasItsLine) {
  Read read = read_oneccl_variables(
      "CCL_BCAST=direct\nCCL_bcast=ring\nCCL_BCATS=ring\nOTHER=1\nCCL_ALLREDUCE=\nA B\n"
      "CCL_BCAST=\"naive\"\nCCL_LOG=1\nCCL_REDUCE=$X\n");
  EXPECT_EQ(read.values, (std::vector<std::string>{"1 bcast direct", "7 bcast naive"}));
  EXPECT_EQ(read.file.rules.of(Collective::kBcast).rules.size(), 1U) << "those of line 7";
  std::vector<std::string> defects;
  for (const Defect& one : read.file.defects) {
    defects.push_back(std::to_string(one.line) + ": " + std::string(name(one.severity)) + ": " +
                      one.text);
  }
  EXPECT_EQ(defects,
            (std::vector<std::string>{
                "2: warning: 'bcast' is no collective that is known here; did you mean 'BCAST'?",
                "3: warning: 'BCATS' is no collective that is known here; did you mean 'BCAST'?",
                "5: error: CCL_ALLREDUCE is empty",
                "7: warning: CCL_BCAST stands twice: the last one counts",
                "9: warning: CCL_REDUCE: '$X' is for the shell to fill in; not known here"}));
}

TEST(CollectiveVariables, AFileWithoutOneHasNoRules) {
  const Read read = read_oneccl_variables("# nothing\n");
  ASSERT_EQ(read.file.defects.size(), 1U);
  EXPECT_EQ(read.file.defects[0].text, "no CCL_<COLLECTIVE>: the file has no rules");
}

}  // namespace
}  // namespace colltree::rules
