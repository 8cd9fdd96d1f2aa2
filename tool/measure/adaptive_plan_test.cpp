// SPDX-License-Identifier: BSD-3-Clause
#include "measure/adaptive_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace colltree::measure {
namespace {

// Two collectives with two methods each; of the second collective one method is always better.
std::vector<protocol::PlanCell> all_cells() {
  std::vector<protocol::PlanCell> cells;
  for (const Collective collective : {Collective::kBcast, Collective::kReduce}) {
    for (std::uint64_t ranks = 2; ranks <= 16; ++ranks) {
      for (std::uint64_t bytes = 1; bytes <= 1 << 20; bytes *= 4) {
        for (const char* algorithm : {"linear", "binomial"})
          cells.push_back({{collective, ranks, bytes}, {algorithm, 0}});
      }
    }
  }
  return cells;
}

double time_us(const protocol::PlanCell& cell) {
  const auto p = static_cast<double>(cell.instance.communicator_size);
  const auto m = static_cast<double>(cell.instance.message_size);
  const bool linear = cell.method.algorithm == "linear";
  if (cell.instance.collective == Collective::kReduce) return (linear ? 2 : 3) * (5 + m / 100);
  return linear ? p * 2 + m / 100 : 10 + 3 * std::log2(p) + m * std::log2(p) / 150;
}

double cost_s(const protocol::PlanCell&, double time) { return time / 1e6; }

// Rounds until the plan says that it is enough; the clock advances by what the cells cost.
struct Campaign {
  explicit Campaign(const Budget& budget) : plan(cells, budget, cost_s) {}
  void run() {
    for (;;) {
      const AdaptivePlan::Round round = plan.next(used_s);
      if (round.cells.empty()) return;
      for (const protocol::PlanCell& cell : round.cells) {
        EXPECT_TRUE(measured.insert(cell).second) << cell_line(cell);
        const double sample = time_us(cell);
        plan.measured(cell, std::span(&sample, 1));
        used_s += sample / 1e6;
      }
    }
  }
  std::vector<protocol::PlanCell> cells = all_cells();
  AdaptivePlan plan;
  std::set<protocol::PlanCell> measured;
  double used_s = 0;
};

double cost_of_all() {
  double all = 0;
  for (const protocol::PlanCell& cell : all_cells()) all += time_us(cell) / 1e6;
  return all;
}

TEST(AdaptivePlan, MeasuresAsManyCellsAsItMay) {
  Campaign campaign({.cells = 120});
  campaign.run();
  EXPECT_EQ(campaign.measured.size(), 120U);
  EXPECT_EQ(campaign.plan.left(), all_cells().size() - 120);
}

TEST(AdaptivePlan, StopsWhenTheTimeIsUsed) {
  const double budget_s = 0.1 * cost_of_all();
  Campaign campaign({.seconds = budget_s});
  campaign.run();
  EXPECT_GE(campaign.used_s, 0.9 * budget_s);
  EXPECT_LE(campaign.used_s, 1.1 * budget_s);
}

TEST(AdaptivePlan, WithinATimeTheLibrarysOwnChoiceComesFirst) {
  Campaign campaign({.seconds = 1000});
  std::set<protocol::PlanCell> defaults;
  for (const protocol::PlanCell& cell : all_cells())
    defaults.insert({cell.instance, library_default()});
  campaign.cells.insert(campaign.cells.end(), defaults.begin(), defaults.end());
  campaign.plan = AdaptivePlan(campaign.cells, {.seconds = 1000}, cost_s);
  std::set<protocol::PlanCell> measured;
  while (measured.size() < defaults.size()) {
    const AdaptivePlan::Round round = campaign.plan.next(0);
    ASSERT_FALSE(round.cells.empty());
    const double sample = 5;
    for (const protocol::PlanCell& cell : round.cells) {
      EXPECT_TRUE(is_library_default(cell.method) || measured.size() >= defaults.size());
      EXPECT_TRUE(measured.insert(cell).second) << cell_line(cell);
      campaign.plan.measured(cell, std::span(&sample, 1));
    }
  }
}

TEST(AdaptivePlan, NoRoundBeginsThatWouldPassTheTime) {
  const auto next = [](double used_s, double end_s) {
    AdaptivePlan plan(all_cells(), {.seconds = 10}, cost_s);
    const std::size_t cells = plan.next(used_s, end_s).cells.size();
    return std::pair(cells, plan.why_stopped(used_s));
  };
  constexpr double kCell_s = 0.01;  // of a cell that nobody knows
  EXPECT_GT(next(9, 1 - 2 * kCell_s).first, 0U);
  EXPECT_EQ(next(9, 1 - kCell_s / 2).first, 0U) << "the first cell would pass it";
  EXPECT_EQ(next(4, 7).first, 0U) << "the end of the job would pass it";
  EXPECT_EQ(next(4, 7).second, "what is left holds no further round and the end of the job");
  EXPECT_EQ(next(9.7, 1).second, "") << "as good as used up";
}

TEST(AdaptivePlan, StopsAtTheShareOfWhatAllCost) {
  Campaign campaign({.share = 0.1});
  campaign.run();
  EXPECT_GE(campaign.used_s, 0.08 * cost_of_all());
  EXPECT_LE(campaign.used_s, 0.13 * cost_of_all());
}

TEST(AdaptivePlan, StopsWhenItKnowsEnough) {
  Campaign campaign({.until = 0.01});
  campaign.run();
  EXPECT_LE(campaign.plan.expected_penalty(), 0.01);
  EXPECT_LT(campaign.measured.size(), all_cells().size() / 2);
}

// Where one method is better everywhere there is little to learn.
TEST(AdaptivePlan, GoesWhereTheDecisionHangs) {
  Campaign campaign({.cells = 200});
  campaign.run();
  std::size_t of_reduce = 0;
  for (const protocol::PlanCell& cell : campaign.measured)
    of_reduce += cell.instance.collective == Collective::kReduce ? 1 : 0;
  EXPECT_LT(of_reduce, 70U);
}

TEST(AdaptivePlan, WhatCannotRunIsNotAskedForAgain) {
  AdaptivePlan plan(all_cells(), {.cells = 60}, cost_s);
  std::size_t asked = 0;
  for (AdaptivePlan::Round round = plan.next(0); !round.cells.empty(); round = plan.next(0)) {
    for (const protocol::PlanCell& cell : round.cells) {
      if (cell.method.algorithm == "linear") {
        plan.cannot_run(cell);
        continue;
      }
      const double sample = time_us(cell);
      plan.measured(cell, std::span(&sample, 1));
    }
    asked += round.cells.size();
    ASSERT_LT(asked, all_cells().size());
  }
}

TEST(AdaptivePlan, SaysHowFarItIs) {
  Campaign campaign({.cells = 100});
  EXPECT_EQ(campaign.plan.status(0), "getting to know the methods, 0 % of the budget");
  campaign.run();
  EXPECT_THAT(campaign.plan.status(0),
              ::testing::MatchesRegex("expected penalty [0-9.e-]+ %, 100 % of the budget"));
}

// What is chosen is compared with the default, so it gets its share although it is never the best.
TEST(AdaptivePlan, AQuarterGoesToTheDefault) {
  std::vector<protocol::PlanCell> cells = all_cells();
  for (const protocol::PlanCell& cell : all_cells()) {
    if (cell.method.algorithm != "linear") continue;
    cells.push_back(cell);
    cells.back().method = library_default();
  }
  AdaptivePlan plan(cells, {.cells = 150}, cost_s);
  std::set<protocol::PlanCell> measured;
  for (AdaptivePlan::Round round = plan.next(0); !round.cells.empty(); round = plan.next(0)) {
    for (const protocol::PlanCell& cell : round.cells) {
      EXPECT_TRUE(measured.insert(cell).second) << cell_line(cell);
      const double sample =
          is_library_default(cell.method) ? 3 * time_us(all_cells().front()) : time_us(cell);
      plan.measured(cell, std::span(&sample, 1));
    }
  }
  const auto of_default = std::ranges::count_if(
      measured, [](const protocol::PlanCell& cell) { return is_library_default(cell.method); });
  EXPECT_EQ(measured.size(), 150U);
  EXPECT_GE(of_default, 30);
  EXPECT_LE(of_default, 56);
}

// Cells take forty times what they were expected to, as where ranks outnumber cores.
TEST(AdaptivePlan, KeepsToItsTimeOnASlowMachine) {
  const double budget_s = 0.5 * cost_of_all();
  AdaptivePlan plan(all_cells(), {.seconds = budget_s}, cost_s);
  double used_s = 0;
  for (AdaptivePlan::Round round = plan.next(0); !round.cells.empty(); round = plan.next(used_s)) {
    for (const protocol::PlanCell& cell : round.cells) {
      const double sample = time_us(cell);
      plan.measured(cell, std::span(&sample, 1));
      used_s += 40 * sample / 1e6;
    }
  }
  EXPECT_GE(used_s, budget_s);
  EXPECT_LE(used_s, 1.3 * budget_s);
  EXPECT_EQ(plan.why_stopped(used_s), "");
}

TEST(AdaptivePlan, SaysWhyItStopsEarly) {
  Campaign enough({.until = 0.01});
  enough.run();
  EXPECT_EQ(enough.plan.why_stopped(0), "the best known is expected to lose less than --until");
  Campaign all({.cells = 100000});
  all.run();
  if (all.plan.left() > 0) {
    EXPECT_EQ(all.plan.why_stopped(0), "no further cell is expected to change a decision");
  }
}

// What is measured of a setting in all, and after the first rounds; `slowness`: its time over that
// of the plain job, by message size.
std::pair<std::size_t, std::size_t> measured_under_setting(double (*slowness)(std::uint64_t bytes),
                                                           bool by_calls = false) {
  std::vector<protocol::PlanCell> cells;
  for (const protocol::PlanCell& cell : all_cells()) {
    cells.push_back(cell);
    cells.push_back({cell.instance, under_setting(cell.method, "other")});
  }
  AdaptivePlan plan(cells, {.cells = 300, .by_calls = by_calls}, cost_s);
  const std::vector<protocol::PlanCell> first = plan.first();
  std::size_t number = 0;
  std::size_t later = 0;
  for (AdaptivePlan::Round round = plan.next(0); !round.cells.empty(); round = plan.next(0)) {
    for (const protocol::PlanCell& cell : round.cells) {
      const bool is_under = !setting_of(cell.method).empty();
      const double sample = time_us({cell.instance, without_setting(cell.method)}) *
                            (is_under ? slowness(cell.instance.message_size) : 1);
      plan.measured(cell, std::span(&sample, 1));
      number += is_under ? 1 : 0;
      later += is_under && std::ranges::count(first, cell) == 0 ? 1 : 0;
    }
  }
  return {number, later};
}

TEST(AdaptivePlan, ASettingThatCannotWinIsMeasuredNoFurther) {
  const auto [hopeless, later] =
      measured_under_setting([](std::uint64_t bytes) { return bytes < 100 ? 0.7 : 4.0; });
  EXPECT_GT(hopeless, 10U);
  EXPECT_EQ(later, 0U) << "it is the best for small messages, and still cannot win";
  EXPECT_GT(
      measured_under_setting([](std::uint64_t bytes) { return bytes < 100 ? 1.2 : 0.7; }).second,
      20U);
  // A program may make small calls only.
  const auto small = [](std::uint64_t bytes) { return bytes < 100 ? 0.7 : 4.0; };
  EXPECT_GT(measured_under_setting(small, true).second, 20U);
  const auto never = [](std::uint64_t) { return 4.0; };
  EXPECT_EQ(measured_under_setting(never, true).second, 0U);
}

// Simulations end in any order.
TEST(AdaptivePlan, TheOrderWithinARoundDoesNotMatter) {
  std::set<protocol::PlanCell> chosen[2];
  for (const bool backwards : {false, true}) {
    AdaptivePlan plan(all_cells(), {.cells = 90}, cost_s);
    for (AdaptivePlan::Round round = plan.next(0); !round.cells.empty(); round = plan.next(0)) {
      if (backwards) std::ranges::reverse(round.cells);
      for (const protocol::PlanCell& cell : round.cells) {
        const double sample = time_us(cell);
        plan.measured(cell, std::span(&sample, 1));
        chosen[backwards ? 1 : 0].insert(cell);
      }
    }
  }
  EXPECT_EQ(chosen[0], chosen[1]);
}

}  // namespace
}  // namespace colltree::measure
