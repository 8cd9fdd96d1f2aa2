// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_lanes.h"

#include <gtest/gtest.h>

#include <vector>

namespace colltree {
namespace {

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
}  // namespace colltree
