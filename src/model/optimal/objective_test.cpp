// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/kinds/optimal.h"
#include "timings/test_times.h"

namespace colltree::optimal {
namespace {

// Times of "a" by message size on a line of one communicator size; "b" always takes 8.
Timings line(const std::vector<std::pair<std::uint64_t, double>>& times) {
  Timings timings{.system = "s", .provenance = "measured", .methods = {{"a", 0}, {"b", 0}}};
  for (const auto& [bytes, time_us] : times) {
    timings.instances.push_back({Collective::kBcast, 4, bytes});
    timings.time_us.push_back(time_us);
    timings.time_us.push_back(8);
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

MeasuredGrid grid_of(const Timings& timings) { return make_measured_grid(std::span(&timings, 1)); }

TEST(Neighbourhood, TheMeanOfThePointAndAThirdOfTheWayToItsNeighbours) {
  const MeasuredGrid grid = grid_of(line({{1, 1}, {8, 8}, {64, 64}}));
  const std::vector<double> costs = penalties_between(grid, false);
  // At 8 B both take 8. A third towards 1 B "a" takes 4, so "b" loses 100 %; towards 64 B "a"
  // takes 16 and loses 100 %.
  EXPECT_NEAR(costs[grid.at(1, 0)], 1.0 / 3, 1e-12);
  EXPECT_NEAR(costs[grid.at(1, 1)], 1.0 / 3, 1e-12);
  EXPECT_EQ(penalties(grid, false)[grid.at(1, 0)], 0);
  // At an end only one side counts, the other is the end itself.
  EXPECT_EQ(costs[grid.at(0, 0)], 0);
  EXPECT_NEAR(costs[grid.at(0, 1)], (7 + 7 + 3) / 3.0, 1e-12);
}

TEST(Neighbourhood, WhatANeighbourDoesNotHaveChangesAsItsBest) {
  Timings timings = line({{1, 2}, {8, 4}, {64, 8}});
  timings.time_us.set(4, kNoTime);  // "a" at 64 B; "b" stays at 8 there
  const MeasuredGrid grid = grid_of(timings);
  const std::vector<double> costs = penalties_between(grid, false);
  EXPECT_EQ(costs[grid.at(1, 0)], 0);
  EXPECT_EQ(costs[grid.at(2, 0)], kNotAllowed);
  EXPECT_EQ(costs[grid.at(2, 1)], 0);
}

// Communicator sizes 2, 4, 8 x message sizes 1, 2, 4, without the cell `hole`.
MeasuredGrid with_hole(std::size_t hole) {
  Timings timings{.system = "s", .provenance = "measured", .methods = {{"a", 0}, {"b", 0}}};
  std::size_t cell = 0;
  for (const std::uint64_t ranks : {2, 4, 8}) {
    for (const std::uint64_t bytes : {1, 2, 4}) {
      if (cell++ == hole) continue;
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.time_us.push_back(static_cast<double>(ranks));
      timings.time_us.push_back(bytes == 1 ? kNoTime : static_cast<double>(bytes * bytes));
      timings.default_us.push_back(kNoTime);
    }
  }
  return grid_of(timings);
}

TEST(Neighbourhood, AHoleIsInterpolatedAlongBothAxes) {
  MeasuredGrid grid = with_hole(4);  // 4 ranks, 2 B
  EXPECT_EQ(penalties(grid, false)[grid.at(4, 0)], 0);
  fill_holes(grid);
  EXPECT_EQ(grid.weight[4], 1);
  EXPECT_NEAR(grid.time_us[grid.at(4, 0)], 4, 1e-12);
  // "b" has no time at 1 B: it counts as twice as slow as the slowest.
  EXPECT_NEAR(grid.time_us[grid.at(4, 1)], 8, 1e-12);
  EXPECT_EQ(grid.measured_cells(), 8U);
}

TEST(Neighbourhood, ACornerTakesTheNearestOfEachAxis) {
  MeasuredGrid grid = with_hole(8);  // 8 ranks, 4 B: beside 4 ranks, 4 B and 8 ranks, 2 B
  fill_holes(grid);
  EXPECT_NEAR(grid.time_us[grid.at(8, 0)], std::sqrt(4 * 8), 1e-12);
  EXPECT_NEAR(grid.time_us[grid.at(8, 1)], std::sqrt(16 * 4), 1e-12);
}

TEST(Neighbourhood, GridsWithAPlacementKeepTheirHoles) {
  Timings timings = line({{1, 1}, {2, 2}});
  timings.instances[0].nodes = 1;
  timings.instances[1].nodes = 2;
  timings.instances.push_back({Collective::kBcast, 4, 1, 2});
  testing::append(timings.time_us, {1, 2});
  timings.default_us.push_back(kNoTime);
  std::ranges::sort(timings.instances);
  MeasuredGrid grid = grid_of(timings);
  ASSERT_LT(grid.measured_cells(), grid.cells());
  const std::vector<double> weights = grid.weight;
  fill_holes(grid);
  EXPECT_EQ(grid.weight, weights);
}

// One fast point of "b" among many of "a": noise to a tree that must be good around it.
TEST(Neighbourhood, OnePointAmongOthersGetsNoLeaf) {
  Timings timings = line({{1, 4}, {2, 4}, {4, 9}, {8, 4}, {16, 4}});
  const auto leaves = [&](optimal::Objective::Kind goal) {
    return model::fit_optimal({timings}, {.leaves = 3, .objective = {goal}})
        .statistics.shape.leaves;
  };
  EXPECT_EQ(leaves(Objective::Kind::kMean), 3U);
  EXPECT_EQ(leaves(Objective::Kind::kBetween), 1U);
}

}  // namespace
}  // namespace colltree::optimal
