// SPDX-License-Identifier: BSD-3-Clause
#include "timings/penalty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace colltree {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

const Method kBasic{"basic", std::nullopt};
const Method kClever{"clever", std::nullopt};

Timings table() {
  Timings timings;
  timings.methods = {kBasic, kClever};
  for (std::uint64_t bytes = 1; bytes <= 4; ++bytes) {
    timings.instances.push_back({Collective::kBcast, 8, bytes});
  }
  timings.time_us = {10, 20, 10, 5, 4, 4, kNoTime, 8};
  timings.default_us = {30, 4, kNoTime, 8};
  return timings;
}

TEST(Penalty, OfAChooser) {
  const PenaltyPoints points = penalty_points(
      table(), [](const Instance& i) { return i.message_size == 2 ? kClever : kBasic; });
  EXPECT_THAT(points.values, ElementsAre(0, 0, 0));
  ASSERT_EQ(points.cannot_run.size(), 1U);
  EXPECT_EQ(points.cannot_run[0].instance.message_size, 4U);
  EXPECT_EQ(points.cannot_run[0].method, kBasic);
}

TEST(Penalty, OfTheDefaultIsNeverNegative) {
  const PenaltyPoints points = default_penalty_points(table());
  EXPECT_THAT(points.values, ElementsAre(DoubleEq(2), 0, 0));
  EXPECT_EQ(points.faster_than_all, 1U);
  EXPECT_TRUE(points.cannot_run.empty());
}

// The greatest and the least time that may be stored: as a fraction of the default nothing is left.
TEST(Penalty, AgainstADefaultThatIsSlowerByManyOrders) {
  Timings timings = table();
  timings.time_us.assign(timings.time_us.size(), 1e-6);
  timings.default_us.assign(timings.default_us.size(), 1e15);
  timings.default_us.set(0, 1e-6);
  const auto versus =
      summarize(penalty_points(timings, [](const Instance&) { return kBasic; })).versus_default;
  EXPECT_GT(versus.value(), -1);
  EXPECT_LT(versus.value(), -0.999);
}

TEST(Penalty, AnUnknownMethodCannotRunAnywhere) {
  const PenaltyPoints points = penalty_points(table(), [](const Instance&) {
    return Method{"unheard_of", 0};
  });
  EXPECT_TRUE(points.values.empty());
  EXPECT_EQ(points.cannot_run.size(), 4U);
  EXPECT_EQ(summarize(points).instances, 0U);
}

TEST(Penalty, SummaryOfOneToAHundred) {
  PenaltyPoints points;
  for (int i = 100; i >= 1; --i) points.values.push_back(i / 100.0);
  const PenaltySummary summary = summarize(points);
  EXPECT_EQ(summary.instances, 100U);
  EXPECT_EQ(summary.min, 0.01);
  EXPECT_EQ(summary.max, 1.0);
  EXPECT_NEAR(summary.mean, 0.505, 1e-12);
  EXPECT_NEAR(summary.median, 0.505, 1e-12);
  EXPECT_EQ(summary.p95, 0.95);
  EXPECT_EQ(summary.share_above_5, 0.95);
  EXPECT_EQ(summary.share_above_10, 0.90);
  EXPECT_EQ(summary.share_above_50, 0.50);
  EXPECT_EQ(summary.above_50, 50U);
}

TEST(Penalty, SummaryOfOne) {
  const PenaltySummary summary = summarize({.values = {0.25}});
  EXPECT_EQ(summary.median, 0.25);
  EXPECT_EQ(summary.p95, 0.25);
}

TEST(Penalty, BestFixedMethodRunsWhereItCanFirst) {
  // basic has the smaller mean where it runs, but does not run at one instance.
  const auto fixed = best_fixed_method(table());
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->method, kClever);
  EXPECT_THAT(fixed->points.values, ElementsAre(DoubleEq(1), 0, 0, 0));
  EXPECT_FALSE(best_fixed_method(Timings{}));
}

TEST(Penalty, AgainstTheDefault) {
  const PenaltyPoints points = penalty_points(table(), [](const Instance&) { return kClever; });
  EXPECT_THAT(points.versus_default, ElementsAre(DoubleEq(-1.0 / 3), DoubleEq(0.25), 0));
  EXPECT_NEAR(*summarize(points).versus_default, std::cbrt(2.0 / 3 * 5 / 4) - 1, 1e-12);
  EXPECT_EQ(summarize(default_penalty_points(table())).versus_default, 0.0);
  EXPECT_FALSE(summarize({.values = {0.25}}).versus_default);
}

TEST(Penalty, PointsAddUp) {
  PenaltyPoints sum = default_penalty_points(table());
  sum.add(penalty_points(table(), [](const Instance&) { return kBasic; }));
  EXPECT_EQ(sum.values.size(), 6U);
  EXPECT_EQ(sum.cannot_run.size(), 1U);
  EXPECT_EQ(sum.faster_than_all, 1U);
}

}  // namespace
}  // namespace colltree
