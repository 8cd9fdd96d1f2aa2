// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "base/random.h"
#include "measure/rank/common_start.h"

namespace colltree {
namespace {

TEST(ClockOffset, IsThatOfTheSmallestRoundTrip) {
  // Rank 0's clock is 100 s before ours; the message there takes 1, 2, 3 s, the one back 5, 2, 2 s.
  const std::vector<PingPong> trials = {{0, 101, 6}, {10, 112, 14}, {20, 123, 25}};
  const OffsetEstimate estimate = estimate_offset(trials);
  EXPECT_DOUBLE_EQ(estimate.offset, -100) << "of the second, whose ways are equally long";
  EXPECT_DOUBLE_EQ(estimate.error, 2);
  EXPECT_DOUBLE_EQ(estimate.at, 112);
}

TEST(ClockOffset, IsNeverFurtherOffThanItsError) {
  SeededRandom random(3);
  const auto uniform = [&] { return static_cast<double>(random.below(1000001)) * 1e-6; };
  for (int round = 0; round < 200; ++round) {
    const double offset = 1000 * uniform() - 500;
    std::vector<PingPong> trials;
    for (int i = 0; i < 10; ++i) {
      const double sent = 1e4 + i;
      const double there = uniform();
      const double back = uniform();
      trials.push_back({sent, sent + there - offset, sent + there + back});
    }
    const OffsetEstimate estimate = estimate_offset(trials);
    EXPECT_LE(std::abs(estimate.offset - offset), estimate.error + 1e-9);
    EXPECT_LE(estimate.error, 1);
  }
}

TEST(ClockOffset, TheNewestUntilALineCanBeDrawn) {
  EXPECT_EQ(extrapolate_offset({}, 5), 0);
  EXPECT_EQ(extrapolate_offset({{.offset = 3, .at = 1}}, 5), 3);
  EXPECT_EQ(extrapolate_offset({{.offset = 3, .at = 1}, {.offset = 4, .at = 2}}, 5), 4);
  EXPECT_DOUBLE_EQ(extrapolate_offset(
                       {{.offset = 3, .at = 1}, {.offset = 4, .at = 2}, {.offset = 5, .at = 3}}, 5),
                   7);
  const OffsetEstimate same{.offset = 2, .at = 1};
  EXPECT_EQ(extrapolate_offset({same, same, same}, 5), 2) << "no time between them";
}

// Clocks count from the boot: after a year a drift of a microsecond in a second must still be seen.
TEST(ClockOffset, ADriftIsFollowedFarFromTheBoot) {
  constexpr double kYear = 3.2e7;
  std::deque<OffsetEstimate> estimates;
  for (int i = 0; i < 8; ++i) {
    const double noise = i % 2 == 0 ? 1e-8 : -1e-8;
    estimates.push_back({.offset = 12.5 + 1e-6 * i + noise, .at = kYear + i});
  }
  EXPECT_NEAR(extrapolate_offset(estimates, kYear + 10), 12.5 + 1e-5, 3e-8);
}

}  // namespace
}  // namespace colltree
