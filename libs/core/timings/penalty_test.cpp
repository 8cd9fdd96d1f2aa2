// SPDX-License-Identifier: BSD-3-Clause
#include "timings/penalty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"

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

// Times of 1, 2 and 32 times the best's: 4 times in the geometric mean.
TEST(Penalty, GeometricMeanOfTheTimesBesideTheBest) {
  const PenaltySummary summary = summarize({.values = {31, 0, 1}});
  EXPECT_NEAR(summary.mean, 32.0 / 3, 1e-12);
  EXPECT_NEAR(summary.geometric_mean.value(), 3, 1e-12);
  EXPECT_FALSE(summarize(PenaltyPoints{}).geometric_mean);
}

TEST(Penalty, SummaryOfOne) {
  const PenaltySummary summary = summarize({.values = {0.25}});
  EXPECT_NEAR(summary.geometric_mean.value(), 0.25, 1e-12);
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
  EXPECT_EQ(summarize(points).share_slower, 1.0 / 3);
  EXPECT_EQ(summarize({.values = {0, 0}, .versus_default = {0.02, 0.021}}).share_slower, 0.5);
  EXPECT_EQ(summarize(default_penalty_points(table())).versus_default, 0.0);
  EXPECT_EQ(summarize(default_penalty_points(table())).share_slower, 0.0);
  EXPECT_FALSE(summarize({.values = {0.25}}).versus_default);
  EXPECT_FALSE(summarize({.values = {0.25}}).share_slower);
}

TEST(Penalty, PointsAddUp) {
  PenaltyPoints sum = default_penalty_points(table());
  sum.add(penalty_points(table(), [](const Instance&) { return kBasic; }));
  EXPECT_EQ(sum.values.size(), 6U);
  EXPECT_EQ(sum.cannot_run.size(), 1U);
  EXPECT_EQ(sum.faster_than_all, 1U);
}

// Two methods at 64 instances: "clever" takes 10 us, "basic" is predicted to take `basic_us` within
// a factor of `reach`.
Timings predicted_table(double basic_us, double reach) {
  Timings timings;
  timings.methods = {kBasic, kClever};
  for (std::uint64_t ranks = 2; ranks <= 256; ranks *= 2) {
    for (std::uint64_t bytes = 1; bytes <= 16384; bytes *= 4) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.time_us.push_back(Time::predicted(basic_us, {basic_us / reach, basic_us * reach}));
      timings.time_us.push_back(10);
      timings.default_us.push_back(40);
    }
  }
  return timings;
}

PenaltySummary summary_of(const Timings& timings, const Method& method) {
  return summarize(penalty_points(timings, [&](const Instance&) { return method; }), Bootstrap{});
}

TEST(PenaltyByPredictions, IsCountedAndItsIntervalHoldsTheirError) {
  const PenaltySummary certain = summary_of(predicted_table(20, 1), kBasic);
  EXPECT_EQ(certain.instances, 64U);
  EXPECT_EQ(certain.predicted, 64U) << "the time of the choice was predicted";
  EXPECT_NEAR(certain.mean, 1, 1e-12);
  EXPECT_NEAR(certain.mean_interval->high - certain.mean_interval->low, 0, 1e-9);
  const PenaltySummary unsure = summary_of(predicted_table(20, 2), kBasic);
  EXPECT_NEAR(unsure.mean, 1, 0.02) << "the time may be longer or shorter";
  EXPECT_LT(unsure.mean_interval->low, unsure.mean - 0.05);
  EXPECT_GT(unsure.mean_interval->high, unsure.mean + 0.05);
}

TEST(PenaltyByPredictions, AMeasuredChoiceMayLoseToWhatWasNotMeasured) {
  const PenaltySummary close = summary_of(predicted_table(11, 2), kClever);
  EXPECT_EQ(close.predicted, 0U) << "neither the choice nor the best known was predicted";
  EXPECT_GT(close.mean, 0.01);
  EXPECT_EQ(summary_of(predicted_table(1000, 2), kClever).mean, 0) << "it cannot be the best";
}

// Of the loss that errors allow counts what came true where it was tried; of a choice that is not
// the best its own error counts in full.
TEST(PenaltyByPredictions, LossCountsAsFarAsItCameTrue) {
  const auto tried = [](double basic_us, const Method& method, double came_true) {
    Timings timings = predicted_table(basic_us, 2);
    timings.loss_came_true = came_true;
    return summary_of(timings, method);
  };
  const PenaltySummary all = tried(11, kClever, 1);
  const PenaltySummary tenth = tried(11, kClever, 0.1);
  EXPECT_NEAR(tenth.mean, all.mean / 10, 1e-9);
  EXPECT_LT(tenth.mean_interval->low, tenth.mean / 2) << "the share is uncertain itself";
  EXPECT_GT(tenth.mean_interval->high, tenth.mean * 2);
  EXPECT_NEAR(tried(20, kBasic, 0.1).mean_interval->high, tried(20, kBasic, 1).mean_interval->high,
              0.01);
}

TEST(PenaltyByPredictions, StaysWithinBoundsWhereNothingIsKnown) {
  EXPECT_LT(summary_of(predicted_table(10, 1e12), kClever).mean, 20);
  EXPECT_LT(summary_of(predicted_table(20, 1e12), kBasic).mean, 40);
}

TEST(PenaltyByPredictions, OneMethodIsNeverWorseThanItself) {
  Timings timings = predicted_table(5, 3);
  EXPECT_LT(summary_of(timings, kBasic).mean, 0.05);
  timings = select_methods(timings, std::vector{kBasic});
  EXPECT_EQ(summary_of(timings, kBasic).mean, 0) << "its error is the same on both sides";
}

// The truth lies as far off as the intervals say, neighbours together: 19 of 20 means are held.
TEST(PenaltyByPredictions, TheIntervalOfTheMeanHoldsTheTruth) {
  constexpr double kReach = 1.8;
  const Timings predicted = predicted_table(20, kReach);
  const Interval interval = *summary_of(predicted, kBasic).mean_interval;
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SeededRandom random(seed);
    std::map<std::pair<int, int>, double> errors;
    double sum = 0;
    for (const Instance& at : predicted.instances) {
      const std::pair block(static_cast<int>(std::log2(at.communicator_size)),
                            static_cast<int>(std::log2(at.message_size) / 2));
      const double error = errors.emplace(block, random.normal()).first->second;
      sum += 20 * std::exp(std::log(kReach) / kDeviationsOf95 * error) / 10 - 1;
    }
    const double truth = sum / static_cast<double>(predicted.instances.size());
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 34);
}

TEST(PenaltyByPredictions, SumsOfCollectivesKeepTheirDraws) {
  const auto basic = [](const Instance&) { return kBasic; };
  const Timings unsure = predicted_table(20, 2);
  PenaltyPoints both = penalty_points(table(), [](const Instance&) { return kClever; });
  const std::size_t measured = both.values.size();
  both.add(penalty_points(unsure, basic));
  EXPECT_EQ(both.predicted, 64U);
  ASSERT_EQ(both.drawn_values.size() % both.values.size(), 0U);
  const std::size_t draws = both.drawn_values.size() / both.values.size();
  for (std::size_t i = 0; i < measured; ++i) {
    for (std::size_t draw = 0; draw < draws; ++draw)
      EXPECT_EQ(both.drawn_values[i * draws + draw], both.values[i]) << "it was measured";
  }
  PenaltyPoints other_way = penalty_points(unsure, basic);
  other_way.add(penalty_points(table(), [](const Instance&) { return kClever; }));
  EXPECT_EQ(other_way.drawn_values.size(), both.drawn_values.size());
}

}  // namespace
}  // namespace colltree
