// SPDX-License-Identifier: BSD-3-Clause
// Lines of shell assignments as Intel MPI is set up by, and what a shell would not take.
#include "rules/value_list.h"

#include <gtest/gtest.h>

namespace colltree::rules {
namespace {

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
  const std::string line = variable_line("I_MPI_ADJUST_", "reduce_scatter", "ring:0-7");
  EXPECT_EQ(line, "export I_MPI_ADJUST_REDUCE_SCATTER=\"ring:0-7\"\n");
  EXPECT_EQ(read_runs(line, "I_MPI_ADJUST_").back().settings.at(0).value, "ring:0-7");
  EXPECT_EQ(variable_line("I_MPI_ADJUST_", "bcast", ""), "");
}

struct Read {
  RuleFile file;
  std::vector<std::string> values;  // "LINE COLLECTIVE VALUE"
  bool any = false;
};

Read read_intel_variables(std::string_view content) {
  Read read;
  const RuleTarget& target = find_rule_target("intel");
  read.any = read_collective_variables(
      target, "I_MPI_ADJUST_", read_runs(content, "I_MPI_ADJUST_").back().settings, read.file,
      [](std::string_view word) -> std::optional<std::string> {
        if (word == "LOG") return "";
        return std::nullopt;
      },
      [&](const CollectiveVariable& one) {
        read.values.push_back(std::to_string(one.line) + " " + std::string(name(one.collective)) +
                              " " + std::string(one.value));
        read.file.rules.rules_for(one.collective).rules.emplace_back();
      });
  return read;
}

TEST(CollectiveVariables, AreReadOnceEachAndWhatIsWrongHasItsLine) {
  Read read = read_intel_variables(
      "I_MPI_ADJUST_BCAST=direct\nI_MPI_ADJUST_bcast=ring\nI_MPI_ADJUST_BCATS=ring\nOTHER=1\nI_MPI_"
      "ADJUST_ALLREDUCE=\nA B\n"
      "I_MPI_ADJUST_BCAST=\"naive\"\nI_MPI_ADJUST_LOG=1\nI_MPI_ADJUST_REDUCE=$X\n");
  EXPECT_TRUE(read.any);
  EXPECT_EQ(read.values, (std::vector<std::string>{"7 bcast naive"}));
  EXPECT_EQ(read.file.rules.rules_for(Collective::kBcast).rules.size(), 1U) << "those of line 7";
  std::vector<std::string> defects;
  for (const Defect& one : read.file.defects) {
    defects.push_back(std::to_string(one.line) + ": " + std::string(name(one.severity)) + ": " +
                      one.text);
  }
  EXPECT_EQ(defects,
            (std::vector<std::string>{
                "2: warning: 'bcast' is no collective that is known here; did you mean 'BCAST'?",
                "3: warning: 'BCATS' is no collective that is known here; did you mean 'BCAST'?",
                "5: error: I_MPI_ADJUST_ALLREDUCE is empty",
                "7: warning: I_MPI_ADJUST_BCAST stands twice: the last one counts",
                "9: warning: I_MPI_ADJUST_REDUCE: '$X' is filled in when the script runs; not "
                "known here"}));
}

TEST(CollectiveVariables, AFileWithoutOneHasNoRules) {
  EXPECT_FALSE(read_intel_variables("# nothing\n").any);
  const auto text = [](std::string_view content) {
    const RuleFile file = find_rule_target("intel").read(content);
    return std::to_string(file.defects.at(0).line) + ": " + file.defects[0].text;
  };
  EXPECT_EQ(text("# nothing\n# I_MPI_ADJUST_BCAST=ring\n"),
            "0: no I_MPI_ADJUST_<COLLECTIVE> is set here");
  EXPECT_EQ(text("a\nputs $I_MPI_ADJUST_BCAST\n"),
            "2: no I_MPI_ADJUST_<COLLECTIVE> is set in a form that is read here");
}

}  // namespace
}  // namespace colltree::rules
