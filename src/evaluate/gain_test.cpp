// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/gain.h"

#include <gtest/gtest.h>

#include <cmath>

namespace colltree {
namespace {

TEST(Gain, OfClearRoundsIsToldWithItsInterval) {
  const std::vector<Pair> rounds = {{20, 10}, {21, 10}, {20, 11}, {19, 10}, {20, 10}, {22, 10}};
  const Gain gain = gain_of({rounds}, 1);
  EXPECT_NEAR(gain.factor, 2, 0.1);
  EXPECT_GT(gain.interval.low, 1.7);
  EXPECT_LT(gain.interval.high, 2.3);
  EXPECT_LT(gain.interval.low, gain.factor);
  EXPECT_EQ(verdict(gain), "faster");
}

TEST(Gain, OfALossIsBelowOne) {
  const Gain gain = gain_of({{{10, 20}, {10, 21}, {10, 19}, {10, 20}, {10, 20}}}, 1);
  EXPECT_NEAR(gain.factor, 0.5, 0.02);
  EXPECT_EQ(verdict(gain), "slower");
}

TEST(Gain, OfNoiseIsNoDifference) {
  const Gain gain = gain_of({{{10, 12}, {12, 10}, {11, 10}, {10, 11}, {9, 9.5}, {9.5, 9}}}, 1);
  EXPECT_EQ(verdict(gain), "no difference can be told");
}

TEST(Gain, OfFewRoundsIsNeverTold) {
  EXPECT_EQ(verdict(gain_of({{{20, 10}, {20, 10}, {20, 10}, {20, 10}}}, 1)),
            "no difference can be told");
}

TEST(Gain, InTotalIsTheGeometricMeanOfTheInstances) {
  const std::vector<Pair> doubled(5, Pair{20, 10});
  const std::vector<Pair> halved(5, Pair{10, 20});
  const std::vector<Pair> same(5, Pair{10, 10});
  EXPECT_DOUBLE_EQ(gain_of({doubled, halved}, 1).factor, 1);
  EXPECT_NEAR(gain_of({doubled, doubled, same}, 1).factor, std::pow(2.0, 2.0 / 3), 1e-12);
}

}  // namespace
}  // namespace colltree
