// SPDX-License-Identifier: BSD-3-Clause
#include "measure/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colltree {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(Placement, AskedForAndPossible) {
  const std::vector<std::uint64_t> asked = {1, 2, 4, kAllRanksOfNode};
  const JobLayout layout{4, 8};
  EXPECT_THAT(possible_ranks_per_node(asked, 2, layout), ElementsAre(1, 2));
  EXPECT_THAT(possible_ranks_per_node(asked, 3, layout), ElementsAre(1, 2, 3));
  EXPECT_THAT(possible_ranks_per_node(asked, 4, layout), ElementsAre(1, 2, 4));
  EXPECT_THAT(possible_ranks_per_node(asked, 8, layout), ElementsAre(2, 4, 8));
  EXPECT_THAT(possible_ranks_per_node(asked, 17, layout), ElementsAre(8));
  EXPECT_THAT(possible_ranks_per_node(asked, 33, layout), IsEmpty());
  EXPECT_THAT(possible_ranks_per_node(std::vector<std::uint64_t>{16}, 32, layout), IsEmpty());
}

TEST(Placement, MembersNodeByNode) {
  const std::vector<int> block = {7, 7, 7, 3, 3, 3, 9, 9, 9};
  EXPECT_THAT(members_of(block, 3, 1), Optional(ElementsAre(0, 3, 6)));
  EXPECT_THAT(members_of(block, 4, 2), Optional(ElementsAre(0, 1, 3, 4)));
  EXPECT_THAT(members_of(block, 5, 2), Optional(ElementsAre(0, 1, 3, 4, 6)));
  EXPECT_THAT(members_of(block, 9, 3), Optional(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8)));
  EXPECT_EQ(members_of(block, 4, 1), std::nullopt);
  EXPECT_EQ(members_of(block, 4, 4), std::nullopt);
}

// Ranks dealt round the nodes make the same communicator: node by node.
TEST(Placement, CyclicJobs) {
  const std::vector<int> cyclic = {0, 1, 2, 0, 1, 2};
  EXPECT_THAT(members_of(cyclic, 4, 2), Optional(ElementsAre(0, 3, 1, 4)));
  EXPECT_THAT(members_of(cyclic, 3, 1), Optional(ElementsAre(0, 1, 2)));
}

TEST(Placement, UnevenNodesArePassedOver) {
  const std::vector<int> uneven = {0, 0, 1, 2, 2};
  EXPECT_THAT(members_of(uneven, 4, 2), Optional(ElementsAre(0, 1, 3, 4)));
  EXPECT_THAT(members_of(uneven, 3, 2), Optional(ElementsAre(0, 1, 2)));
  const std::vector<int> small_first = {0, 1, 1, 2, 2};
  EXPECT_EQ(members_of(small_first, 4, 2), std::nullopt);  // the first rank reports
}

TEST(Placement, BlocksShareNoNode) {
  const std::vector<int> block = {7, 7, 3, 3, 9, 9, 4, 4};
  EXPECT_THAT(disjoint_blocks(block, 2, 2), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                        ElementsAre(4, 5), ElementsAre(6, 7)));
  EXPECT_THAT(disjoint_blocks(block, 2, 1), ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6)));
  EXPECT_THAT(disjoint_blocks(block, 3, 2),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(4, 5, 6)));
  EXPECT_THAT(disjoint_blocks(block, 5, 2), ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
  EXPECT_THAT(disjoint_blocks(block, 16, 2), IsEmpty());
}

TEST(Placement, BlocksOfTheFirstRanksLieAlike) {
  const std::vector<int> cyclic = {0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_THAT(disjoint_blocks(cyclic, 2, 0), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(disjoint_blocks(cyclic, 6, 0), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  // Rank 3 and 4 lie on one node, 0 and 1 on two.
  const std::vector<int> uneven = {0, 1, 1, 2, 2, 3, 4};
  EXPECT_THAT(disjoint_blocks(uneven, 2, 0), ElementsAre(ElementsAre(0, 1), ElementsAre(5, 6)));
  EXPECT_THAT(disjoint_blocks(uneven, 16, 0), IsEmpty());
}

TEST(Placement, BlocksPassSmallNodesOver) {
  const std::vector<int> small = {0, 0, 1, 2, 2};
  EXPECT_THAT(disjoint_blocks(small, 2, 2), ElementsAre(ElementsAre(0, 1), ElementsAre(3, 4)));
}

}  // namespace
}  // namespace colltree
