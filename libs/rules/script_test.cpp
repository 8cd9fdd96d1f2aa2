// SPDX-License-Identifier: BSD-3-Clause
// What scripts set as Intel MPI and UCC are set up by, and what a shell would not take.
#include "rules/script.h"

#include <gtest/gtest.h>

namespace colltree::rules {
namespace {

std::string text_of(std::string_view script) {
  std::string text;
  const ScriptRun run = read_runs(script, "V_").back();
  for (const Assignment& one : run.settings) {
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
    const auto all = read_runs(one.line, "V_").back().settings;
    ASSERT_EQ(all.size(), 1U) << one.line;
    EXPECT_EQ(all[0].problem, one.problem) << one.line;
  }
}

// "LINE: NAME=VALUE NAME=VALUE" of each run, with what is said of a setting.
std::string runs_of(std::string_view script) {
  std::string text;
  for (const ScriptRun& run : read_runs(script, "V_")) {
    text += std::to_string(run.line) + ":";
    for (const Assignment& one : run.settings)
      text += " " + one.variable + "=" + one.value + (one.expanded ? " (expanded)" : "") +
              (one.remark.empty() ? "" : " (" + one.remark.substr(0, 15) + ")");
    text += "\n";
  }
  return text;
}

struct RunCase {
  const char* script;
  const char* runs;
};

class Runs : public ::testing::TestWithParam<RunCase> {};

TEST_P(Runs, HaveTheSettingsOfTheirCommand) {
  EXPECT_EQ(runs_of(GetParam().script), GetParam().runs) << GetParam().script;
}

INSTANTIATE_TEST_SUITE_P(
    OfShells, Runs,
    ::testing::Values(
        RunCase{"mpirun -x V_A=1 ./a\nmpirun -x V_A=2 ./a\n", "1: V_A=1\n2: V_A=2\n"},
        RunCase{"export V_B=0\nmpirun ./a\nV_A=1 mpirun ./a\n", "2: V_B=0\n3: V_B=0 V_A=1\n"},
        RunCase{"export V_A=1\nmpirun ./a\nexport V_A=2\nmpirun ./a\n", "2: V_A=1\n4: V_A=2\n"},
        RunCase{"mpirun ./a\nexport V_A=1\n", "1:\n0: V_A=1\n"},
        RunCase{"export V_A=1\nmpirun ./a\nunset V_A\nmpirun ./a\n", "2: V_A=1\n4:\n"},
        RunCase{"export V_A=1\nenv -u V_A mpirun ./a\nsrun ./a\n", "2:\n3: V_A=1\n"},
        RunCase{"export V_A=1\nexport V_A=2\n", "0: V_A=2 (stands twice: t)\n"},
        RunCase{"if x; then export V_A=1; else export V_A=2; fi\n", "0: V_A=2 (stands twice, i)\n"},
        RunCase{"srun --export=ALL,V_A=1:0-7,V_B=2 ./a\n", "1: V_A=1:0-7 V_B=2\n"},
        RunCase{"srun --export=V_A=1,2 ./a\nsrun --export V_A=3 ./a\n", "1: V_A=1,2\n2: V_A=3\n"},
        RunCase{"srun --export=ALL,V_A=\"1:0-7;3\",V_B=2 ./a\n", "1: V_A=1:0-7;3 V_B=2\n"},
        RunCase{"qsub -v V_A=1,X=2,V_B=3 job\n", "1: V_A=1 V_B=3\n"},
        RunCase{"#PBS -v V_A=1,V_B=2\n# V_C=3\n#SBATCH --export=ALL,V_D=4\nmpirun ./a\n",
                "4: V_A=1 V_B=2 V_D=4\n"},
        RunCase{"flux run --env=V_A=1 ./a\nprun --x V_A=2 ./a\n", "1: V_A=1\n2: V_A=2\n"},
        RunCase{"bash -c \"export V_A='1;2'; ./a\"\nbash -c 'V_A=3 ./a'\n",
                "1: V_A=1;2\n2: V_A=3\n"},
        RunCase{"if x; then\n  e=\"V_A=14 O=1 V_B=2\"\nfi\nexport V_C=2\nenv $e mpirun -n 4 ./a\n",
                "5: V_A=14 (stands in a str) V_B=2 (stands in a str) V_C=2\n"},
        RunCase{"e=\"-genv V_A 3\"\n", "0: V_A=3 (stands in a str)\n"},
        RunCase{"mpirun -n 1 -env V_A 1 ./a : -n 1 -env V_A 2 ./a\n",
                "1: V_A=2 (has several val)\n"},
        RunCase{"mpirun -np 4 \\\n -x V_A=1 \\\n ./a | tee log\n", "1: V_A=1\n"},
        RunCase{"echo 'export V_A=1' >> rc\n", "0: V_A=1 (stands in a str)\n"}));

INSTANTIATE_TEST_SUITE_P(
    OfOthers, Runs,
    ::testing::Values(RunCase{"load(\"impi\")\nsetenv(\"V_A\", \"2\")\nwhatis(\"it's\")\n-- "
                              "don't\npushenv('V_B','1;2')\n"
                              "-- setenv(\"V_C\", \"3\")\n",
                              "0: V_A=2 V_B=1;2\n"},
                      RunCase{"#%Module\nsetenv V_A 1\npushenv V_B {2}\n", "0: V_A=1 V_B=2\n"},
                      RunCase{"FROM x\nENV V_A=1 V_B=2\nENV V_C 3\nRUN V_D=1 ./a\n",
                              "4: V_A=1 V_B=2 V_C=3 V_D=1\n"}));

}  // namespace
}  // namespace colltree::rules
