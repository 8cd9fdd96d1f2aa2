// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/noise_floor.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

// bcast with 8 bytes on 2, 3, ... ranks.
Timings session(const std::vector<std::pair<double, double>>& times) {
  Timings timings;
  timings.methods = {{"a", 0}, {"b", 0}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 2 + i, 8});
    timings.time_us.push_back(times[i].first);
    timings.time_us.push_back(times[i].second);
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

TEST(NoiseFloor, TheBestOfOneSessionJudgedInTheOther) {
  const Timings monday = session({{1, 2}, {3, 2}});
  const Timings tuesday = session({{3, 2}, {4, 1}, {1, 1}});
  const NoiseFloor there = transferred(monday, tuesday);
  EXPECT_EQ(there.points.values, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(there.share_same(), 0.5);
  const NoiseFloor both = between(monday, tuesday);  // back: b for 2 ranks costs 1
  EXPECT_EQ(both.points.values, (std::vector<double>{0.5, 0, 1, 0}));
  EXPECT_EQ(both.judged, 4U);
}

TEST(NoiseFloor, NothingInCommon) {
  Timings other = session({{1, 2}});
  other.instances[0].message_size = 9;
  EXPECT_EQ(between(session({{1, 2}}), other).judged, 0U);
  EXPECT_EQ(between(session({{1, 2}}), other).share_same(), 0);
}

TEST(NoiseFloor, WhatDidNotRunInTheOtherIsCounted) {
  Timings tuesday = session({{kNoTime, 2}});
  const NoiseFloor there = transferred(session({{1, 2}}), tuesday);
  EXPECT_TRUE(there.points.values.empty());
  EXPECT_EQ(there.points.cannot_run.size(), 1U);
}

}  // namespace
}  // namespace colltree
