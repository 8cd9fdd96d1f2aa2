// SPDX-License-Identifier: BSD-3-Clause
#include "timings/instance_grid.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace colltree {
namespace {

TEST(GridAxis, LastOfLowerIsTheMiddleInLogSpace) {
  EXPECT_EQ(last_of_lower(0, 1), 0U);
  EXPECT_EQ(last_of_lower(1, 2), 1U);
  EXPECT_EQ(last_of_lower(2, 8), 4U);  // the exact middle belongs to the lower value
  EXPECT_EQ(last_of_lower(1024, 2048), 1448U);
  EXPECT_EQ(last_of_lower(7, 8), 7U);
  EXPECT_EQ(last_of_lower(1, UINT64_MAX), 0xFFFFFFFFU);
  EXPECT_EQ(last_of_lower(UINT64_MAX - 1, UINT64_MAX), UINT64_MAX - 1);
}

TEST(GridAxis, LastOfLowerIsExactEverywhere) {
  __extension__ using Wide = unsigned __int128;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t a = random() >> (random() % 64);
    const std::uint64_t b = random() >> (random() % 64);
    if (a >= b) continue;
    const Wide product = static_cast<Wide>(a) * b;
    const Wide root = last_of_lower(a, b);
    ASSERT_TRUE(root * root <= product && (root + 1) * (root + 1) > product) << a << " " << b;
    ASSERT_TRUE(root >= a && root < b) << a << " " << b;
  }
}

TEST(GridAxis, IndexIsTheNearestValue) {
  const GridAxis axis = make_axis(Attribute::kMessageSize, {0, 1, 4, 64});
  const auto index = [&](std::uint64_t bytes) { return axis.index({.message_size = bytes}); };
  EXPECT_EQ(index(0), 0U);
  EXPECT_EQ(index(1), 1U);
  EXPECT_EQ(index(2), 1U);
  EXPECT_EQ(index(3), 2U);
  EXPECT_EQ(index(16), 2U);
  EXPECT_EQ(index(17), 3U);
  EXPECT_EQ(index(UINT64_MAX), 3U);
}

TEST(GridAxis, RefusesWhatIsNotAnAxis) {
  EXPECT_THROW(make_axis(Attribute::kMessageSize, {}), Error);
  EXPECT_THROW(make_axis(Attribute::kMessageSize, {2, 2}), Error);
  EXPECT_THROW(make_axis(Attribute::kMessageSize, {3, 2}), Error);
}

}  // namespace
}  // namespace colltree
