// SPDX-License-Identifier: BSD-3-Clause
#include "report/tree_study.h"

#include <gtest/gtest.h>

#include "model/test_models.h"

namespace colltree::report {
namespace {

// Times that make the random map's method the best at each point, others up to twice as slow.
Timings timings_of(const DecisionMap& map, testing::Random& random) {
  Timings timings{.system = "random", .provenance = "simulated", .methods = map.methods};
  timings.instances = testing::grid_instances(map);
  for (const std::uint16_t best : map.best) {
    for (std::size_t method = 0; method < map.methods.size(); ++method) {
      timings.time_us.push_back(
          method == best ? 10.0 : 10.5 + static_cast<double>(testing::pick(random, 0, 10)));
    }
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

struct Study : ::testing::Test {
  testing::Random random{61};
  DecisionMap map = testing::random_map(random, 12, 20, 6);
  Timings timings = timings_of(map, random);
  model::LabelGrid grid = model::make_label_grid(map);
  StudyInput input{{&timings, 1}, grid};
};

TEST_F(Study, DepthEndsExact) {
  const std::vector<StudyRow> rows = depth_study(input, model::Reshape::kEnd);
  ASSERT_EQ(rows.size(), 6U);  // 32 x 32: depths 0 to 5
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_LE(rows[i].shape.max_depth, i);
  EXPECT_GT(rows[0].penalty.mean, 0);
  EXPECT_EQ(rows[5].penalty.max, 0);
  EXPECT_EQ(rows[0].shape.leaves, 1U);
}

TEST_F(Study, ThresholdEndsExact) {
  const std::vector<StudyRow> rows = threshold_study(input, model::Reshape::kEven);
  ASSERT_EQ(rows.size(), 20U);
  EXPECT_DOUBLE_EQ(rows[0].options.accuracy_threshold, 0.05);
  EXPECT_EQ(rows[19].penalty.max, 0);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GE(rows[i].shape.leaves, rows[i - 1].shape.leaves);
  }
}

// The same map for two collectives is an octree without a test of the collective: the same rows.
TEST_F(Study, CollectivesAreAThirdAxis) {
  const std::vector<StudyRow> alone = depth_study(input, model::Reshape::kEnd);
  std::vector<Timings> both = {timings, timings};
  std::vector<DecisionMap> maps = {map, map};
  both[1].collective = maps[1].collective = Collective::kReduce;
  for (Instance& instance : both[1].instances) instance.collective = Collective::kReduce;
  const model::LabelGrid equal = model::make_collective_grid(maps);
  const std::vector<StudyRow> rows = depth_study({both, equal}, model::Reshape::kEnd);
  ASSERT_EQ(rows.size(), alone.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i].penalty.mean, alone[i].penalty.mean, 1e-12);
    EXPECT_EQ(rows[i].penalty.instances, 2 * alone[i].penalty.instances);
    EXPECT_EQ(rows[i].tests, 2 * alone[i].tests);  // a tree for each collective
  }
  // A kdtree asks for the collective only where they differ.
  const model::GridTreeOptions kdtree{.reshape = model::Reshape::kNone};
  const auto leaves = [&] {
    return model::shape(model::fit_grid_tree(model::make_collective_grid(maps), kdtree)).leaves;
  };
  const std::uint64_t without = leaves();
  EXPECT_EQ(without, model::shape(model::fit_grid_tree(grid, kdtree)).leaves);
  maps[1].best[0] = static_cast<std::uint16_t>((maps[1].best[0] + 1) % 6);
  EXPECT_GT(leaves(), without);
}

}  // namespace
}  // namespace colltree::report
