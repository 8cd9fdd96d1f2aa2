// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "evaluate/session_noise.h"

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
  const NoiseFloor back = transferred(tuesday, monday);  // b for 2 ranks costs 1
  EXPECT_EQ(back.points.values, (std::vector<double>{1, 0}));
  EXPECT_EQ(back.judged, 2U);
  EXPECT_EQ(back.common_methods, 2U);
  EXPECT_EQ(back.other_methods, 0U);
}

// A method that only one session has is best there: it is no choice in either direction, and what
// the others lose against it is no noise.
TEST(NoiseFloor, OnlyCommonMethodsAreCompared) {
  const Timings monday = session({{1, 2}, {3, 2}});
  Timings tuesday = session({{1, 2}, {3, 2}});
  tuesday.methods = {{"a", 0}, {"b", 0}, {"new", 0}};
  tuesday.time_us = {1, 2, 0.1, 3, 2, 0.1};
  for (const NoiseFloor& floor : {transferred(monday, tuesday), transferred(tuesday, monday)}) {
    EXPECT_EQ(floor.points.values, (std::vector<double>{0, 0}));
    EXPECT_EQ(floor.share_same(), 1);
    EXPECT_EQ(floor.common_methods, 2U);
    EXPECT_EQ(floor.other_methods, 1U);
  }
  Timings others = session({{1, 2}});
  others.methods = {{"c", 0}, {"d", 0}};
  EXPECT_EQ(transferred(monday, others).judged, 0U);
}

TEST(NoiseFloor, PairsAddUp) {
  NoiseFloor sum = transferred(session({{1, 2}}), session({{2, 1}}));
  sum.add(transferred(session({{1, 2}}), session({{1, 3}})));
  EXPECT_EQ(sum.judged, 2U);
  EXPECT_EQ(sum.share_same(), 0.5);
  EXPECT_EQ(sum.common_methods, 2U);
  NoiseFloor none;
  none.add(sum);
  EXPECT_EQ(none.common_methods, 2U);
}

TEST(NoiseFloor, NothingInCommon) {
  Timings other = session({{1, 2}});
  other.instances[0].message_size = 9;
  EXPECT_EQ(transferred(session({{1, 2}}), other).judged, 0U);
  EXPECT_EQ(transferred(session({{1, 2}}), other).share_same(), 0);
}

TEST(NoiseFloor, WhatDidNotRunInTheOtherIsCounted) {
  Timings tuesday = session({{kNoTime, 2}});
  const NoiseFloor there = transferred(session({{1, 2}}), tuesday);
  EXPECT_TRUE(there.points.values.empty());
  EXPECT_EQ(there.points.cannot_run.size(), 1U);
}

}  // namespace
}  // namespace colltree
