// SPDX-License-Identifier: BSD-3-Clause
#include "timings/time.h"

#include <gtest/gtest.h>

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

}  // namespace

}  // namespace colltree
