// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "algorithms/node_tree.h"

namespace colltree {
namespace {

using ::testing::ElementsAre;

std::vector<int> ranks_of(const NodeLayout& layout, int node) {
  std::vector<int> ranks;
  for (int i = 0; i < layout.ranks_on(node); ++i) ranks.push_back(layout.rank(node, i));
  return ranks;
}

void open(NodeLayout& layout, const std::vector<int>& node_of) {
  ASSERT_TRUE(layout.open(node_of.data(), static_cast<int>(node_of.size())));
}

TEST(NodeLayout, ByBlocks) {
  NodeLayout layout;
  open(layout, {9, 9, 9, -4, -4, 7});
  EXPECT_EQ(layout.nodes(), 3);
  EXPECT_EQ(layout.most_ranks(), 3);
  EXPECT_TRUE(layout.is_by_blocks());
  EXPECT_THAT(ranks_of(layout, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(ranks_of(layout, 1), ElementsAre(3, 4));
  EXPECT_THAT(ranks_of(layout, 2), ElementsAre(5));
}

// Nodes count by their lowest ranks, whatever their numbers.
TEST(NodeLayout, Scattered) {
  NodeLayout layout;
  open(layout, {5, 2, 5, 8, 2, 5});
  EXPECT_FALSE(layout.is_by_blocks());
  EXPECT_THAT(ranks_of(layout, 0), ElementsAre(0, 2, 5));
  EXPECT_THAT(ranks_of(layout, 1), ElementsAre(1, 4));
  EXPECT_THAT(ranks_of(layout, 2), ElementsAre(3));
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(layout.rank_at(layout.position(rank)), rank);
    EXPECT_EQ(layout.rank(layout.node_of(rank), layout.index_of(rank)), rank);
  }
  EXPECT_EQ(layout.node_of(4), 1);
  EXPECT_EQ(layout.index_of(5), 2);
}

TEST(NodeLayout, OpenedAnewAndClosed) {
  NodeLayout layout;
  EXPECT_EQ(layout.nodes(), 0);
  open(layout, {0, 1, 2, 3});
  EXPECT_EQ(layout.nodes(), 4);
  EXPECT_EQ(layout.most_ranks(), 1);
  open(layout, {0, 0});
  EXPECT_EQ(layout.nodes(), 1);
  layout.close();
  EXPECT_EQ(layout.nodes(), 0);
}

// Parents and children agree, all hang on the root, and one edge leads to each node but its own.
TEST(NodeTree, EveryRoot) {
  const std::vector<std::vector<int>> spreads = {
      {0, 0, 0, 1, 1, 1, 2, 2}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, {3, 1, 3, 3, 0, 1, 3}};
  for (const std::vector<int>& node_of : spreads) {
    NodeLayout layout;
    open(layout, node_of);
    const int size = layout.size();
    for (int root = 0; root < size; ++root) {
      for (const int radix : {2, 3, 8}) {
        int between = 0;
        for (int rank = 0; rank < size; ++rank) {
          const Tree tree = tree_over_nodes(layout, root, rank, radix);
          EXPECT_EQ(tree.parent == kNoRank, rank == root);
          for (int i = 0; i < tree.child_count; ++i) {
            const int child = tree.children[i];
            EXPECT_EQ(tree_over_nodes(layout, root, child, radix).parent, rank);
            between += layout.node_of(child) != layout.node_of(rank) ? 1 : 0;
          }
          int top = rank;
          for (int steps = 0; top != root && steps < size; ++steps)
            top = tree_over_nodes(layout, root, top, radix).parent;
          EXPECT_EQ(top, root);
        }
        EXPECT_EQ(between, layout.nodes() - 1);
      }
    }
  }
}

}  // namespace
}  // namespace colltree
