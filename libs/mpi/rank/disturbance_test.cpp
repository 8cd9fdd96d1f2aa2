// SPDX-License-Identifier: BSD-3-Clause
#include "rank/disturbance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace colltree::rank {

namespace {

TEST(ForeignLoad, TheFirstLineOfProcStat) {
  ProcessorTime time;
  ASSERT_TRUE(parse_processor_line("cpu  100 20 30 400 50 6 7 8 90 91", 100, time));
  EXPECT_DOUBLE_EQ(time.busy_s, 1.71) << "user, nice, system, irq, softirq, steal; not the guests";
  EXPECT_DOUBLE_EQ(time.capacity_s, 6.21);
  EXPECT_FALSE(parse_processor_line("cpu  100 20 30", 100, time));
  EXPECT_FALSE(parse_processor_line("intr 1 2 3 4 5 6 7 8", 100, time));
}

TEST(ForeignLoad, OthersAreWhatWeAreNot) {
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 3, .capacity_s = 4, .own_s = 2}), 0.25);
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 1, .capacity_s = 4, .own_s = 1.01}), 0) << "ticks";
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 0, .capacity_s = 0, .own_s = 1}), 0) << "no /proc";
}

TEST(StretchJudge, RepeatsADisturbedStretchThenMarksIt) {
  StretchJudge judge(0.1);
  EXPECT_EQ(judge.judge(0.1), 0) << "as much as is allowed";
  EXPECT_EQ(judge.judge(0.5), std::nullopt);
  EXPECT_EQ(judge.judge(0.3), std::nullopt);
  EXPECT_EQ(judge.judge(0.2), 0.2) << "the load of the try that is kept";
  EXPECT_EQ(judge.judge(0.2), std::nullopt) << "the next stretch has its own tries";
}

TEST(StretchJudge, AQuietTryEndsIt) {
  StretchJudge judge(0.1);
  EXPECT_EQ(judge.judge(0.5), std::nullopt);
  EXPECT_EQ(judge.judge(0), 0);
  EXPECT_EQ(judge.judge(0.5), std::nullopt);
  EXPECT_EQ(judge.judge(0.5), std::nullopt) << "counted anew";
}

// What happens, in order: "0 1" cells measured, "look", "wait", "=0" and "=1*" reports (* marked).
struct Log {
  std::string text;
  std::vector<std::optional<double>> loads;  // answers of look()

  StretchSteps steps() {
    return {.measure = [this](std::size_t cell) -> protocol::JobReport {
              text += std::to_string(cell) + " ";
              protocol::CellResult measured;
              measured.cell.instance.message_size = cell;
              return measured;
            },
            .report =
                [this](const protocol::JobReport& report) {
                  const auto& measured = std::get<protocol::CellResult>(report);
                  text += "=" + std::to_string(measured.cell.instance.message_size) +
                          (measured.foreign_load > 0 ? "* " : " ");
                },
            .look = {},
            .wait = {}};
  }
  StretchSteps guarded() {
    StretchSteps all = steps();
    all.look = [this] {
      text += "look ";
      const std::optional<double> load = loads.empty() ? 0 : loads.front();
      if (!loads.empty()) loads.erase(loads.begin());
      return load;
    };
    all.wait = [this] { text += "wait "; };
    return all;
  }
};

TEST(Stretches, WithoutAGuardEachCellIsReportedAtOnce) {
  Log log;
  measure_in_stretches(3, 0.1, log.steps());
  EXPECT_EQ(log.text, "0 =0 1 =1 2 =2 ");
}

TEST(Stretches, ReportsWaitUntilTheirStretchIsLongEnough) {
  Log log;
  log.loads = {std::nullopt, std::nullopt, 0.05, 0.05};
  measure_in_stretches(4, 0.1, log.guarded());
  EXPECT_EQ(log.text, "0 look 1 look 2 look =0 =1 =2 3 wait look =3 ");
}

TEST(Stretches, ADisturbedStretchIsMeasuredAgain) {
  Log log;
  log.loads = {0.0, std::nullopt, 0.5, std::nullopt, 0.0};
  measure_in_stretches(3, 0.1, log.guarded());
  EXPECT_EQ(log.text, "0 look =0 1 look 2 wait look 1 look 2 wait look =1 =2 ");
}

TEST(Stretches, AfterThreeTriesItIsMarked) {
  Log log;
  log.loads = {0.5, 0.5, 0.5, 0.0};
  measure_in_stretches(2, 0.1, log.guarded());
  EXPECT_EQ(log.text, "0 look 0 look 0 look =0* 1 wait look =1 ");
}

TEST(Stretches, WhatCannotRunIsNotMarked) {
  std::vector<bool> marked;
  const StretchSteps steps = {
      .measure = [](std::size_t) { return protocol::failed_cell({}, "died"); },
      .report =
          [&](const protocol::JobReport& report) {
            marked.push_back(std::get<protocol::CellResult>(report).foreign_load > 0);
          },
      .look = [] { return 0.5; },
      .wait = [] {}};
  measure_in_stretches(1, 0.1, steps);
  EXPECT_EQ(marked, std::vector<bool>{false});
}

TEST(Stretches, WhatRanksSharedCoresForSaysSo) {
  std::vector<std::uint64_t> shared;
  StretchSteps steps = {.measure = [](std::size_t) { return protocol::CellResult{}; },
                        .report =
                            [&](const protocol::JobReport& report) {
                              shared.push_back(std::get<protocol::CellResult>(report).shared_cores);
                            },
                        .look = [] { return 0.0; },
                        .wait = [] {}};
  measure_in_stretches(1, 0.1, steps);
  steps.shared_cores = 2;
  measure_in_stretches(1, 0.1, steps);
  EXPECT_EQ(shared, (std::vector<std::uint64_t>{0, 2}));
}

TEST(Stretches, NoCellsNoReports) {
  Log log;
  measure_in_stretches(0, 0.1, log.guarded());
  EXPECT_EQ(log.text, "");
}

TEST(Agreement, IsOfTheLeastMedianOfEachCommunicator) {
  const TriedCell calm{"a", {10, 14}, {{10.5, 30}, {9.6, 11}}};
  const Agreement all = judge(std::vector{calm}, 0.06);
  EXPECT_TRUE(all.agrees);
  EXPECT_EQ(all.text, "a: 10.00 us alone, 9.60 to 10.50 us at once");
  EXPECT_FALSE(judge(std::vector{calm}, 0.04).agrees);
}

TEST(Agreement, FailsByOneCellOfSeveral) {
  const TriedCell calm{"a", {10}, {{10}, {10}}};
  const TriedCell slow{"b", {100}, {{100}, {130}}};
  const TriedCell fast{"c", {100}, {{70}, {100}}};
  EXPECT_FALSE(judge(std::vector{calm, slow}, 0.2).agrees);
  EXPECT_FALSE(judge(std::vector{fast, calm}, 0.2).agrees);
  EXPECT_EQ(judge(std::vector{calm, slow}, 0.2).text,
            "a: 10.00 us alone, 10.00 to 10.00 us at once; b: 100.00 us alone, 100.00 to 130.00 us "
            "at once");
}

TEST(Agreement, NeedsACellThatWasMeasuredEverywhere) {
  const TriedCell failed{"a", {10, 0}, {{10}, {10}}};
  const TriedCell half{"b", {10}, {{10}, {0}}};
  const TriedCell calm{"c", {10}, {{10}, {10}}};
  EXPECT_FALSE(judge(std::vector{failed, half}, 1).agrees);
  EXPECT_EQ(judge(std::vector{failed, half}, 1).text,
            "no cell could be measured alone and at once");
  EXPECT_FALSE(judge({}, 1).agrees);
  EXPECT_TRUE(judge(std::vector{failed, calm}, 0.1).agrees);
}

}  // namespace

}  // namespace colltree::rank
