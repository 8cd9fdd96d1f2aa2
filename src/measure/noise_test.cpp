// SPDX-License-Identifier: BSD-3-Clause
#include "measure/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace colltree {
namespace {

std::vector<double> factors(const NoiseModel& noise, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(noise_factor(noise, "bcast 4 1024 binomial 0", static_cast<std::uint64_t>(i)));
  std::ranges::sort(values);
  return values;
}

TEST(Noise, OffIsExactlyOne) {
  EXPECT_EQ(noise_factor(parse_noise("off"), "x", 3), 1);
  EXPECT_EQ(format_noise({}), "off");
}

TEST(Noise, SpreadIsTheQuartileRangeAndTheMedianIsOne) {
  const std::vector<double> values = factors(parse_noise("spread=0.2"), 40001);
  EXPECT_NEAR(values[20000], 1, 0.005);
  EXPECT_NEAR((values[30000] - values[10000]) / values[20000], 0.2, 0.01);
}

TEST(Noise, OutliersComeAsOftenAsAsked) {
  const std::vector<double> values = factors(parse_noise("outliers=0.1,factor=5"), 20000);
  const auto hit = std::ranges::count_if(values, [](double factor) { return factor > 1; });
  EXPECT_NEAR(static_cast<double>(hit) / 20000, 0.1, 0.01);
  EXPECT_LE(values.back(), 5);
}

TEST(Noise, DependsOnSeedCellAndRepetitionOnly) {
  const NoiseModel noise = parse_noise("spread=0.1,seed=7");
  EXPECT_EQ(noise_factor(noise, "a", 1), noise_factor(noise, "a", 1));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(noise, "a", 2));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(noise, "b", 1));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(parse_noise("spread=0.1,seed=8"), "a", 1));
}

TEST(Noise, BoundsAreNamed) {
  try {
    parse_noise("spread=0.1,outliers=2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--noise: outliers: expected a number from 0 to 1, got '2'");
  }
}

TEST(Noise, AWordIsGivenOnce) {
  try {
    parse_noise("spread=0.1,seed=1,spread=0.2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--noise: spread: given twice; give it once");
  }
}

TEST(Noise, TextReadsBackAndBadTextIsRefused) {
  const NoiseModel noise = parse_noise("seed=9,factor=3,spread=0.05,outliers=0.01");
  EXPECT_EQ(parse_noise(format_noise(noise)), noise);
  for (const char* bad : {"", "on", "spread", "spread=", "spread=-1", "spread=nan", "spread=0.1,",
                          "seed=1.5", "spred=1", "outliers=2", "outliers=inf", "factor=0.5",
                          "factor=-1", "seed=-1", "spread=1e9"}) {
    EXPECT_THROW(parse_noise(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace colltree
