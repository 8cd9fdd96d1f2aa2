// SPDX-License-Identifier: BSD-3-Clause
#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace colltree {
namespace {

TEST(Statistics, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median(std::vector<double>{3}), 3);
  EXPECT_EQ(median(std::vector<double>{5, 1, 3}), 3);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
}

// Published table of order-statistic intervals at 95 %: n = 6 takes the extremes (96.9 %), n = 20
// the 6th and 15th (95.9 %), n = 5 has none.
TEST(Statistics, IntervalRanksOfThePublishedTable) {
  std::vector<double> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back(i);
  const Interval twenty = median_interval(samples, 0.95);
  EXPECT_EQ(twenty.low, 6);
  EXPECT_EQ(twenty.high, 15);
  samples.resize(6);
  EXPECT_EQ(median_interval(samples, 0.95).low, 1);
  EXPECT_EQ(median_interval(samples, 0.95).high, 6);
  samples.resize(5);
  EXPECT_TRUE(std::isinf(relative_half_width(samples, 0.95)));
}

TEST(Statistics, HalfWidthIsRelativeToTheMedian) {
  const std::vector<double> samples = {9, 10, 10, 10, 10, 11};
  EXPECT_NEAR(relative_half_width(samples, 0.95), 0.1, 1e-12);
}

TEST(Statistics, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> draw(0, 1);  // median 1
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = draw(random);
    const Interval interval = median_interval(samples, 0.95);
    if (interval.low <= 1 && 1 <= interval.high) ++covered;
  }
  EXPECT_GE(covered, kTrials * 0.945);
  EXPECT_LE(covered, kTrials * 0.975);  // the next narrower interval would cover 89 %
}

TEST(Statistics, ManySamplesDoNotOverflow) {
  const std::vector<double> samples(5000, 2.0);
  EXPECT_EQ(relative_half_width(samples, 0.95), 0);
}

}  // namespace
}  // namespace colltree
