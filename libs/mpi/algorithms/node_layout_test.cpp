// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "algorithms/trees.h"

namespace colltree::algorithms {

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

// Nodes of these numbers of ranks, which are placed by blocks.
struct Layout {
  NodeLayout nodes;

  explicit Layout(const std::vector<int>& ranks_on) {
    std::vector<int> node_of;
    for (std::size_t node = 0; node < ranks_on.size(); ++node)
      node_of.insert(node_of.end(), static_cast<std::size_t>(ranks_on[node]),
                     static_cast<int>(node));
    EXPECT_TRUE(nodes.open(node_of.data(), static_cast<int>(node_of.size())));
  }
};

std::vector<int> leaders(const NodeLanes& lanes, int node) {
  std::vector<int> found;
  for (int lane = 0; lane < lanes.lanes(); ++lane) found.push_back(lanes.leader(node, lane));
  return found;
}

using Ints = std::vector<int>;

TEST(NodeLanes, AreLedByRanksApartOrBySeveralTimesTheSame) {
  const Layout layout({8, 3, 1});
  NodeLanes lanes;
  ASSERT_TRUE(lanes.open(layout.nodes, 4));
  EXPECT_EQ(leaders(lanes, 0), (Ints{0, 2, 4, 6}));
  EXPECT_EQ(leaders(lanes, 1), (Ints{0, 0, 1, 2}));
  EXPECT_EQ(leaders(lanes, 2), (Ints{0, 0, 0, 0}));
  ASSERT_TRUE(lanes.open(layout.nodes, 3));
  EXPECT_EQ(leaders(lanes, 0), (Ints{0, 3, 6}));
  ASSERT_TRUE(lanes.open(layout.nodes, 9));
  EXPECT_EQ(lanes.lanes(), 8) << "as many as the fullest node has ranks";
}

// Every rank is in the group of one lane, which a rank of its node leads that is in it.
TEST(NodeLanes, HaveEachRankOnce) {
  for (const Ints& ranks_on : {Ints{4, 4}, Ints{7, 2, 5}, Ints{1, 9, 1, 4}, Ints{12, 11}}) {
    const Layout layout(ranks_on);
    const int nodes = layout.nodes.nodes();
    for (int wanted = 0; wanted <= 12; ++wanted) {
      NodeLanes lanes;
      ASSERT_TRUE(lanes.open(layout.nodes, wanted));
      Ints seen(static_cast<std::size_t>(layout.nodes.size()), 0);
      ASSERT_EQ(lanes.first(lanes.lanes()), layout.nodes.size());
      for (int lane = 0; lane < lanes.lanes(); ++lane) {
        for (int node = 0; node < nodes; ++node) {
          const int leader = lanes.leader(node, lane);
          EXPECT_LE(lanes.lane_begin(node, leader), lane);
          EXPECT_GT(lanes.lane_begin(node, leader + 1), lane);
          for (int i = lanes.first(lane, node); i < lanes.end(lane, node); ++i) {
            const int rank = lanes.rank_at(i);
            ++seen[static_cast<std::size_t>(rank)];
            EXPECT_EQ(layout.nodes.node_of(rank), node);
            EXPECT_EQ(layout.nodes.index_of(rank), leader + i - lanes.first(lane, node));
          }
        }
      }
      EXPECT_EQ(seen, Ints(seen.size(), 1));
    }
  }
}

}  // namespace

}  // namespace colltree::algorithms
