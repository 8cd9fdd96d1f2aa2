// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measure/foreign_load.h"

namespace colltree {
namespace {

// What happens, in order: "0 1" cells measured, "look", "wait", "=0" and "=1*" reports (* marked).
struct Log {
  std::string text;
  std::vector<std::optional<double>> loads;  // answers of look()

  StretchSteps steps() {
    return {.measure = [this](std::size_t cell) -> Report {
              text += std::to_string(cell) + " ";
              CellMeasured measured;
              measured.cell.message_size = cell;
              return measured;
            },
            .report =
                [this](const Report& report) {
                  const auto& measured = std::get<CellMeasured>(report);
                  text += "=" + std::to_string(measured.cell.message_size) +
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
  const StretchSteps steps = {.measure = [](std::size_t) { return CellFailed{}; },
                              .report =
                                  [&](const Report& report) {
                                    marked.push_back(!std::holds_alternative<CellFailed>(report));
                                  },
                              .look = [] { return 0.5; },
                              .wait = [] {}};
  measure_in_stretches(1, 0.1, steps);
  EXPECT_EQ(marked, std::vector<bool>{false});
}

TEST(Stretches, WhatRanksSharedCoresForSaysSo) {
  std::vector<std::uint64_t> shared;
  StretchSteps steps = {.measure = [](std::size_t) { return CellMeasured{}; },
                        .report =
                            [&](const Report& report) {
                              shared.push_back(std::get<CellMeasured>(report).shared_cores);
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

}  // namespace
}  // namespace colltree
