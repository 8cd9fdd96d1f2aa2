// SPDX-License-Identifier: BSD-3-Clause
#include "timings/timings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "timings/interpolation.h"
#include "timings/penalty.h"

namespace colltree {

namespace {

TEST(Time, IsMeasuredPredictedOrImpossible) {
  const Time measured = Time::measured(3);
  EXPECT_EQ(measured.kind(), TimeKind::kMeasured);
  EXPECT_EQ(measured.known_us(), 3);
  EXPECT_EQ(measured.measured_us(), 3);
  EXPECT_FALSE(measured.interval());
  const Time predicted = Time::predicted(3, {2, 5});
  EXPECT_EQ(predicted.kind(), TimeKind::kPredicted);
  EXPECT_EQ(predicted.known_us(), 3);
  EXPECT_TRUE(std::isnan(predicted.measured_us())) << "a prediction is no measurement";
  EXPECT_EQ(predicted.interval()->high, 5);
  for (const Time& none : {Time(), Time::measured(kNoTime)}) {
    EXPECT_EQ(none.kind(), TimeKind::kImpossible);
    EXPECT_TRUE(std::isnan(none.known_us()));
    EXPECT_TRUE(std::isnan(none.measured_us()));
    EXPECT_FALSE(none.interval());
  }
}

TEST(Time, OfManyEachKeepsItsKindAndInterval) {
  Times times = {1, kNoTime, 3};
  EXPECT_EQ(times.predicted(), 0U);
  EXPECT_FALSE(times[0].interval());
  times.push_back(Time::predicted(4, {3, 6}));
  times.set(1, Time::measured(2, {1.5, 2.5}));
  times.push_back(5);
  const TimeKind kinds[] = {TimeKind::kMeasured, TimeKind::kMeasured, TimeKind::kMeasured,
                            TimeKind::kPredicted, TimeKind::kMeasured};
  for (std::size_t at = 0; at < times.size(); ++at) {
    EXPECT_EQ(times[at].kind(), kinds[at]) << at;
    EXPECT_EQ(times[at].known_us(), static_cast<double>(at + 1));
    EXPECT_EQ(times[at].interval().has_value(), at == 1 || at == 3) << at;
  }
  EXPECT_EQ(times.predicted(), 1U);
  times.set(3, Time());
  EXPECT_EQ(times[3].kind(), TimeKind::kImpossible) << "nor predicted any more";
  EXPECT_EQ(times.predicted(), 0U);
}

using ::testing::ElementsAre;

// "basic" takes as many us as ranks, "clever" 3 us; where a time is missing the method cannot run.
Timings square_timings() {
  Timings timings{.system = "test", .methods = {{"basic", 0}, {"clever", 0}}};
  for (const std::uint64_t ranks : {2, 4, 8}) {
    for (const std::uint64_t bytes : {1, 16, 256}) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.time_us.push_back(static_cast<double>(ranks));
      timings.time_us.push_back(ranks == 8 && bytes == 256 ? kNoTime : 3);
      timings.default_us.push_back(2.5);
    }
  }
  return timings;
}

TEST(Timings, LeastGreatestAndBest) {
  const Timings timings = square_timings();
  EXPECT_EQ(timings.least_known_us(0), 2);
  EXPECT_EQ(timings.greatest_known_us(0), 3);
  EXPECT_EQ(timings.best_at(0), 0U);
  EXPECT_EQ(timings.best_at(3), 1U);
  EXPECT_EQ(timings.least_known_us(8), 8);
  Timings none = timings;
  for (const std::size_t at : {0, 1}) none.time_us.set(at, kNoTime);
  EXPECT_TRUE(std::isnan(none.least_known_us(0)));
  EXPECT_TRUE(std::isnan(none.greatest_known_us(0)));
  EXPECT_FALSE(none.best_at(0));
}

TEST(Penalty, WhatCannotRunIsListedAndCharged) {
  Timings timings = square_timings();
  timings.time_us.set(16, 2);  // basic at 8 ranks, 256 B
  timings.methods.push_back({"slow", 0});
  Times wider;
  for (std::size_t i = 0; i < 9; ++i) {
    wider.push_back(timings.time_us[2 * i]);
    wider.push_back(timings.time_us[2 * i + 1]);
    wider.push_back(10);
  }
  timings.time_us = wider;
  EXPECT_EQ(charged_penalty_at(timings, 8, {"clever", 0}), 4);  // 10 instead of 2
  EXPECT_EQ(charged_penalty_at(timings, 0, {"clever", 0}), 0.5);
  const PenaltyPoints points = penalty_points(timings, [](const Instance&) {
    return Method{"clever", 0};
  });
  ASSERT_EQ(points.cannot_run.size(), 1U);
  EXPECT_EQ(points.cannot_run[0].charge, 4);
  const PenaltySummary summary = summarize(points);
  EXPECT_DOUBLE_EQ(summary.mean, 1.5 / 8);          // 0.5 at the three instances of 2 ranks
  EXPECT_DOUBLE_EQ(summary.charged_mean, 5.5 / 9);  // and 4
}

TEST(LogLogTimes, ChoosesWhereTimesCross) {
  const LogLogTimes times(square_timings());
  EXPECT_EQ(times.choose({Collective::kBcast, 2, 16}).algorithm, "basic");
  EXPECT_EQ(times.choose({Collective::kBcast, 2, 4}).algorithm, "basic");   // not measured
  EXPECT_EQ(times.choose({Collective::kBcast, 6, 4}).algorithm, "clever");  // neither size was
  EXPECT_EQ(times.choose({Collective::kBcast, 4, 16}).algorithm, "clever");
  EXPECT_EQ(times.choose({Collective::kBcast, 64, 1}).algorithm, "clever");  // beyond: the end
  EXPECT_EQ(times.choose({Collective::kBcast, 8, 256}).algorithm, "basic");  // clever cannot run
}

TEST(InstanceGrid, HolesAndAxes) {
  Timings timings = square_timings();
  timings = select_instances(timings, std::vector<std::size_t>{0, 1, 2, 3, 5, 6, 7, 8});
  const InstanceGrid grid = make_map_grid(timings);
  EXPECT_THAT(grid.communicator_sizes(), ElementsAre(2, 4, 8));
  EXPECT_THAT(grid.message_sizes(), ElementsAre(1, 16, 256));
  EXPECT_FALSE(grid.instance[4]);
  EXPECT_EQ(grid.instance[5], 4U);
  EXPECT_EQ(instance_at(grid, timings, 4), (Instance{Collective::kBcast, 4, 16}));
  EXPECT_EQ(grid.cell_of({Collective::kBcast, 5, 60}), 4U);
  const std::vector<double> times = interpolated_times(grid, timings, 4);
  EXPECT_NEAR(times[0], 4, 1e-12);
  EXPECT_NEAR(times[1], 3, 1e-12);
}

}  // namespace

}  // namespace colltree
