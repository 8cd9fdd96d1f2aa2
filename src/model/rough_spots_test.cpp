// SPDX-License-Identifier: BSD-3-Clause
#include "model/rough_spots.h"

#include <gtest/gtest.h>

#include <random>

#include "model/test_models.h"

namespace colltree::model {
namespace {

// bcast on 2 ranks with 1, 4, 16, ... bytes; each {a, b}, 0 = was not measured.
Timings line(const std::vector<std::pair<double, double>>& times) {
  Timings timings;
  timings.methods = {{"a", 0}, {"b", 0}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 2, std::uint64_t{1} << (2 * i)});
    for (const double time : {times[i].first, times[i].second}) {
      timings.time_us.push_back(time == 0 ? kNoTime : time);
    }
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

// a up to 1 byte, b up to 4, then a.
RuleTree island_tree() {
  RuleTree tree{.methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  append_test(tree, Attribute::kMessageSize, 1);
  append_leaf(tree, 0);
  append_test(tree, Attribute::kMessageSize, 4);
  append_leaf(tree, 1);
  append_leaf(tree, 0);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  tree.nodes[2].low = 3;
  tree.nodes[2].high = 4;
  return tree;
}

TEST(Islands, CostIsWhatTheOtherSideWouldAdd) {
  const Timings timings = line({{1, 2}, {1.1, 1}, {1, 2}, {1, 3}});
  const std::vector<Island> found = find_islands(unfolded(island_tree()), {timings}, 1);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0].cost, 0.1 / 4, 1e-12);
  EXPECT_EQ(region_text(found[0].region), "message_size 2..4");
  EXPECT_EQ(found[0].instances, 1U);
  EXPECT_EQ(found[0].method.algorithm, "b");
  EXPECT_EQ(found[0].instead, (std::vector<Method>{{"a", 0}}));
  EXPECT_NEAR(found[1].cost, 1.0 / 4, 1e-12);
  EXPECT_EQ(region_text(found[1].region), "message_size 0..1");
  EXPECT_NEAR(found[2].cost, 3.0 / 4, 1e-12);
  EXPECT_EQ(region_text(found[2].region), "message_size 5..");
  EXPECT_EQ(find_islands(unfolded(island_tree()), {timings}, 0.02).size(), 0U);
}

TEST(Islands, MergeWithinTheBound) {
  const Timings timings = line({{1, 2}, {1.1, 1}, {1, 2}, {1, 3}});
  EXPECT_EQ(merge_islands(island_tree(), {timings}, 0.024), unfolded(island_tree()));
  const RuleTree merged = merge_islands(island_tree(), {timings}, 0.025);
  ASSERT_EQ(merged.nodes.size(), 1U);  // what is left on both sides is a: no test is needed
  EXPECT_EQ(decide(merged, {Collective::kBcast, 2, 4}).algorithm, "a");
}

TEST(Islands, NothingThatCannotRunIsPutIn) {
  const Timings timings = line({{1, 2}, {0, 1}, {1, 2}, {1, 3}});
  for (const Island& island : find_islands(unfolded(island_tree()), {timings}, 10)) {
    EXPECT_NE(region_text(island.region), "message_size 2..4");
  }
  EXPECT_EQ(merge_islands(island_tree(), {timings}, 0), unfolded(island_tree()));
}

TEST(Islands, OtherCollectivesAreLeftAlone) {
  RuleTree tree = island_tree();
  tree.roots[0].collective = Collective::kReduce;
  EXPECT_EQ(merge_islands(tree, {line({{1, 1}, {1, 1}})}, 1), unfolded(tree));
}

// Random maps: the mean penalty never grows by more than the bound, and with bound 0 it does not
// grow at all.
TEST(Islands, TheBoundHolds) {
  testing::Random random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<double, double>> times;
    for (int i = 0; i < 12; ++i) {
      times.emplace_back(1 + static_cast<double>(testing::pick(random, 0, 9)) / 10,
                         1 + static_cast<double>(testing::pick(random, 0, 9)) / 10);
    }
    const Timings timings = line(times);
    RuleTree tree{.methods = timings.methods, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
    for (int i = 0; i < 11; ++i) {  // one leaf for each instance, the best there
      append_test(tree, Attribute::kMessageSize, std::uint64_t{1} << (2 * i));
      const auto at = static_cast<std::uint32_t>(tree.nodes.size() - 1);
      tree.nodes[at].low = append_leaf(tree, times[i].first <= times[i].second ? 0 : 1);
      tree.nodes[at].high = at + 2;
    }
    append_leaf(tree, times[11].first <= times[11].second ? 0 : 1);
    const auto mean = [&](const RuleTree& one) {
      return summarize(
                 penalty_points(timings,
                                [&](const Instance& instance) { return decide(one, instance); }))
          .mean;
    };
    ASSERT_EQ(mean(tree), 0);
    std::size_t nodes = 23;
    for (const double within : {0.0, 0.01, 0.05, 0.2, 10.0}) {
      const RuleTree merged = merge_islands(tree, {timings}, within);
      EXPECT_LE(mean(merged), within + 1e-9);
      EXPECT_LE(merged.nodes.size(), nodes);
      nodes = merged.nodes.size();
    }
    EXPECT_EQ(nodes, 1U);
  }
}

Method a_up_to_4(const Instance& at) { return {at.message_size <= 4 ? "a" : "b", 0}; }

TEST(Jumps, AreMeasuredAgainstTheTrendBeside) {
  // a: 1, 4, 16, 64; b ten times that. By the trend the third is 16, but b takes 160.
  const Timings timings = line({{1, 10}, {4, 40}, {16, 160}, {64, 640}});
  const std::vector<Jump> jumps = find_jumps(timings, a_up_to_4, 1.5);
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_EQ(jumps[0].from.message_size, 4U);
  EXPECT_EQ(jumps[0].to.message_size, 16U);
  EXPECT_EQ(jumps[0].after.algorithm, "b");
  EXPECT_NEAR(jumps[0].expected_us, 16, 1e-9);
  EXPECT_NEAR(jumps[0].after_us, 160, 1e-9);
  EXPECT_NEAR(jumps[0].factor, 10, 1e-9);
  EXPECT_NEAR(jumps[0].penalty_before, 0, 1e-9);
  EXPECT_NEAR(jumps[0].penalty_after, 9, 1e-9);  // a would take 16 there
  EXPECT_TRUE(find_jumps(timings, a_up_to_4, 10.1).empty());
}

TEST(Jumps, AChangeAtTheCrossingIsNone) {
  EXPECT_TRUE(find_jumps(line({{1, 4}, {4, 8}, {32, 16}, {128, 64}}), a_up_to_4, 1.5).empty());
}

// Two points only: no step beside, so the best times are the trend (1 to 2).
TEST(Jumps, WithoutNeighboursTheBestTimesAreTheTrend) {
  const std::vector<Jump> jumps = find_jumps(
      line({{1, 3}, {2, 8}}),
      [](const Instance& at) {
        return Method{at.message_size == 1 ? "a" : "b", 0};
      },
      1.5);
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_NEAR(jumps[0].expected_us, 2, 1e-9);
  EXPECT_NEAR(jumps[0].factor, 4, 1e-9);
}

}  // namespace
}  // namespace colltree::model
