// SPDX-License-Identifier: BSD-3-Clause
#include "measure/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

using ::testing::Contains;
using ::testing::Each;

TEST(Grid, SizesOfThePapers) {
  struct Case {
    const char* name;
    std::size_t communicator_sizes;
    std::size_t message_sizes;
  };
  for (const Case& one : {Case{"grig", 26, 48}, Case{"grig-2007", 25, 48}, Case{"frodo", 49, 38},
                          Case{"nano", 13, 17}}) {
    const Grid grid = find_grid(one.name);
    EXPECT_EQ(grid.communicator_sizes.size(), one.communicator_sizes) << one.name;
    EXPECT_EQ(grid.message_sizes.size(), one.message_sizes) << one.name;
  }
}

TEST(Grid, GrigHoldsEverySizeThePaperNames) {
  const Grid grid = find_grid("grig");
  EXPECT_EQ(grid.communicator_sizes.front(), 2U);
  EXPECT_EQ(grid.communicator_sizes.back(), 28U);
  EXPECT_THAT(grid.communicator_sizes, Contains(25));
  for (const std::uint64_t size : {1, 480, 1408, 1920, 2560, 6144, 393216})
    EXPECT_THAT(grid.message_sizes, Contains(size));
}

TEST(Grid, FrodoGrowsByRootTwoInWholeWords) {
  const Grid grid = find_grid("frodo");
  EXPECT_EQ(grid.message_sizes.front(), 4U);
  EXPECT_EQ(grid.message_sizes.back(), 2U << 20);
  EXPECT_THAT(grid.message_sizes, Contains(1448));
  for (const std::uint64_t size : grid.message_sizes) EXPECT_EQ(size % 4, 0U);
}

TEST(Grid, UnknownNameSuggests) {
  try {
    find_grid("grik");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--grid: unknown grid 'grik'; did you mean 'grig'?");
  }
}

}  // namespace
}  // namespace colltree
