// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace colltree::cli {
namespace {

using evaluate::ProgramRun;

// Command b makes bcast of 8K twice as slow, gatherv faster by 10 ms, and calls scan.
ProgramReport made_report(std::size_t pairs = evaluate::fewest_pairs(3)) {
  const evaluate::CallsKey bcast{"bcast", 4, 32768, "solve (cg.c:71)"};
  const evaluate::CallsKey gatherv{"gatherv", 4, std::nullopt, ""}, scan{"scan", 2, 0, ""};
  const ProgramRun a{{2.0, 1.5, 0.31}, {{bcast, 0.25}, {gatherv, 0.06}}};
  const ProgramRun b{{2.5, 2.0, 0.56}, {{bcast, 0.5}, {gatherv, 0.05}, {scan, 0.02}}};
  return {.commands = {"mpirun a", "X=1 mpirun a"},
          .change = evaluate::change_of(std::vector<evaluate::ProgramPair>(pairs, {a, b}))};
}

TEST(ProgramReport, TextHasTotalsThenCallsByWhatChangedMost) {
  EXPECT_EQ(program_text(made_report()),
            R"(a: mpirun a
b: X=1 mpirun a
                             a ms  95 % interval                    b ms  95 % interval                   b / a  95 % interval
whole command             2000.00        2000.00 to 2000.00      2500.00        2500.00 to 2500.00         1.25           1.25 to 1.25       slower
after MPI_Init            1500.00        1500.00 to 1500.00      2000.00        2000.00 to 2000.00         1.33           1.33 to 1.33       slower
in collectives             310.00         310.00 to 310.00        560.00         560.00 to 560.00          1.81           1.81 to 1.81       slower

calls                    ranks  size from       a ms       b ms   b - a ms       interval                   b / a    call site
bcast                        4      32768     250.00     500.00     250.00         250.00 to 250.00          2.00  slower  solve (cg.c:71)
scan                         2          0       0.00      20.00      20.00          20.00 to 20.00              -  slower
gatherv                      4                 60.00      50.00     -10.00         -10.00 to -10.00          0.83  faster

pairs of runs: 7; the times are medians, those of calls means over the ranks
the intervals of all calls hold together with 95 % confidence: each of 3 with 98.33 %, which needs 7 pairs
)");
}

TEST(ProgramReport, CsvHasAllColumnsInEveryRow) {
  ProgramReport report = made_report();
  report.change.calls.resize(1);
  EXPECT_EQ(program_csv(report),
            "part,communicator_size,size_class,a_ms,a_low_ms,a_high_ms,b_ms,b_low_ms,b_high_ms,"
            "difference_ms,difference_low_ms,difference_high_ms,ratio,ratio_low,ratio_high,"
            "verdict,site\n"
            "whole command,,,2000,2000,2000,2500,2500,2500,500,500,500,1.25,1.25,1.25,slower,\n"
            "after MPI_Init,,,1500,1500,1500,2000,2000,2000,500,500,500,1.33333,1.33333,1.33333,"
            "slower,\n"
            "in collectives,,,310,310,310,560,560,560,250,250,250,1.80645,1.80645,1.80645,slower,\n"
            "bcast,4,32768,250,250,250,500,500,500,250,250,250,2,2,2,slower,solve (cg.c:71)\n");
}

TEST(ProgramReport, SaysWhatExplainsTheDifference) {
  ProgramReport report = made_report();
  report.steps = {{.settings = {"X=1"}, .share = {0.93, {0.9, 0.96}}},
                  {.settings = {"Y=1"},
                   .share = {.middle = 0},
                   .failure = "mpirun a: exit code 1: \x1b[31mno"}};
  report.answer = report.steps[0];
  EXPECT_THAT(program_text(report), ::testing::EndsWith(R"(needs 7 pairs

a with these settings of b                                    explains  95 % interval
X=1                                                               0.93           0.90 to 0.96
Y=1                                                               0.00              - to -  mpirun a: exit code 1: \x1B[31mno
X=1 explains 93 % of the difference
)"));
  const Json data = program_json(report);
  EXPECT_THAT(data.dump(2), ::testing::HasSubstr(R"("failure": "mpirun a: exit code 1: \\x1B[31mno",
        "high": null,
        "low": null,
        "settings": "Y=1",)"));
  report.answer = {.settings = {"X=1", "Y=1"}, .share = {.middle = 1}};
  EXPECT_THAT(program_text(report),
              ::testing::EndsWith("X=1 and Y=1 together explain 100 % of the difference; none of "
                                  "them alone explains half of it\n"));
}

}  // namespace
}  // namespace colltree::cli
