// SPDX-License-Identifier: BSD-3-Clause
#include "measure/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree::measure {

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

using ::testing::ElementsAre;

TEST(AutoGrid, CommunicatorSizes) {
  EXPECT_THAT(usual_communicator_sizes({2, 2, ""}), ElementsAre(2));
  EXPECT_THAT(usual_communicator_sizes({7, 7, ""}), ElementsAre(2, 3, 4, 5, 7));
  EXPECT_THAT(usual_communicator_sizes({64, 1, ""}),
              ElementsAre(2, 3, 4, 5, 8, 11, 16, 23, 32, 47, 64));
  EXPECT_THAT(usual_communicator_sizes({72, 12, ""}),
              ElementsAre(2, 3, 4, 5, 8, 11, 12, 16, 23, 24, 32, 36, 47, 48, 60, 64, 72));
  EXPECT_LT(usual_communicator_sizes({65536, 128, ""}).size(), 70U);
}

TEST(AutoGrid, OneRankIsNone) {
  try {
    usual_communicator_sizes({1, 1, "SLURM_NTASKS"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--communicator-sizes auto: there is one rank, by SLURM_NTASKS; give the sizes as "
                 "a list");
  }
}

TEST(AutoGrid, MessageSizes) {
  EXPECT_EQ(usual_message_sizes().size(), 21U);
  EXPECT_EQ(usual_message_sizes().back(), 1048576U);
}

TEST(AutoGrid, SizesOfCalls) {
  const std::vector<CallCount> calls = {
      {{Collective::kBcast, 4, 1000}, 5},  {{Collective::kBcast, 24, 1024}, 50},
      {{Collective::kBcast, 24, 1030}, 6}, {{Collective::kBcast, 1, 1}, 100},
      {{Collective::kBarrier, 6, 0}, 9},   {{Collective::kReduce, 12, 8}, 1}};
  const Grid of_bcast = grid_of_calls(calls, {Collective::kBcast}, "app.csv");
  EXPECT_THAT(of_bcast.communicator_sizes, ElementsAre(4, 24));
  EXPECT_THAT(of_bcast.message_sizes, ElementsAre(1024));
  const Grid of_two = grid_of_calls(calls, {Collective::kBcast, Collective::kReduce}, "app.csv");
  EXPECT_THAT(of_two.communicator_sizes, ElementsAre(4, 12, 24));
  EXPECT_THAT(of_two.message_sizes, ElementsAre(8, 1024));
  EXPECT_THAT(grid_of_calls(calls, {Collective::kBarrier}, "app.csv").message_sizes,
              ElementsAre(0));
  try {
    grid_of_calls(calls, {Collective::kScan}, "app.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "app.csv: has no calls of these collectives; name them with --collective");
  }
}

}  // namespace

}  // namespace colltree::measure
