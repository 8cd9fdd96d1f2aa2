// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/statistics.h"

namespace colltree {
namespace {

using ::testing::ElementsAre;

// Profiles and models depend on these numbers: they may never change.
TEST(SeededRandom, IsTheSameForEver) {
  SeededRandom random(1);
  std::vector<std::size_t> drawn(6);
  for (std::size_t& one : drawn) one = random.below(1000);
  std::mt19937_64 engine(1);
  for (const std::size_t one : drawn) {
    // The share of 1000 that the engine's number is of 2^64.
    const double share = static_cast<double>(engine()) / 18446744073709551616.0;
    EXPECT_EQ(one, static_cast<std::size_t>(share * 1000));
  }
  EXPECT_EQ(SeededRandom(7).permutation(10), SeededRandom(7).permutation(10));
  EXPECT_NE(SeededRandom(7).permutation(10), SeededRandom(8).permutation(10));
}

TEST(SeededRandom, EveryNumberBelowIsAsLikely) {
  SeededRandom random(3);
  std::vector<int> count(7);
  for (int i = 0; i < 70000; ++i) {
    const std::size_t one = random.below(7);
    ASSERT_LT(one, 7U);
    ++count[one];
  }
  // Five standard deviations.
  for (const int one : count) EXPECT_NEAR(one, 10000, 470);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(SeededRandom, UniformAndNormalAreAsTheySay) {
  SeededRandom random(4);
  double sum = 0, squares = 0, uniform = 0;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) {
    const double one = random.uniform();
    ASSERT_GT(one, 0);
    ASSERT_LT(one, 1);
    uniform += one;
    const double normal = random.normal();
    sum += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 5 * 0.2887 / 200);
  EXPECT_NEAR(sum / kDraws, 0, 5.0 / 200);
  EXPECT_NEAR(squares / kDraws, 1, 5 * 1.4142 / 200);
}

TEST(SeededRandom, EveryOrderIsDrawn) {
  SeededRandom random(5);
  std::set<std::vector<std::size_t>> orders;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::size_t> order = random.permutation(4);
    orders.insert(order);
    std::ranges::sort(order);
    ASSERT_THAT(order, ElementsAre(0, 1, 2, 3));
  }
  EXPECT_EQ(orders.size(), 24U);
  EXPECT_TRUE(random.permutation(0).empty());
}

TEST(LogDeviation, IsThatOfAnIntervalOf95Percent) {
  EXPECT_NEAR(log_deviation({10 * std::exp(-1.96 * 0.3), 10 * std::exp(1.96 * 0.3)}), 0.3, 1e-12);
  EXPECT_EQ(log_deviation({5, 5}), 0);
}

}  // namespace
}  // namespace colltree
