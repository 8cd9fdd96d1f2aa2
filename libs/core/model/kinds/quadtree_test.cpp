// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/quadtree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "model/model.h"
#include "model/test_cell_tree.h"
#include "model/test_models.h"

namespace colltree::model {
namespace {

ModelOrigin origin_of(const LabelGrid& grid) {
  return {"random", "simulated", grid.collectives, grid.points()};
}

Model fit(const LabelGrid& grid, const GridTreeOptions& options) {
  return fit_quadtree(origin_of(grid), grid, options);
}

// As the tree on the grid decides, by indices.
const Method& decide_on_grid(const LabelGrid& grid, const CellTree& tree, const Instance& at) {
  std::array<std::size_t, kMostAxes> index = {};
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    index[axis] = grid.axes[axis].index(at);
  }
  return grid.methods[decide_at(tree, {index[0], index[1], index[2]})];
}

void expect_same_everywhere(const LabelGrid& grid, const GridTreeOptions& options,
                            const std::vector<Instance>& further) {
  const Model model = fit(grid, options);
  const CellTree tree = fit_grid_tree(grid, options).first;
  validate(model.rules);
  for (const Instance& instance : testing::telling_instances(model.rules, further)) {
    ASSERT_EQ(model.decide(instance), decide_on_grid(grid, tree, instance))
        << instance.communicator_size << " " << instance.message_size;
  }
}

TEST(GridTreeModel, LoweredTreeDecidesTheSameEverywhere) {
  testing::Random random(11);
  for (int round = 0; round < 200; ++round) {
    const DecisionMap map =
        testing::random_map(random, testing::pick(random, 1, 10), testing::pick(random, 1, 16), 6);
    GridTreeOptions options;
    options.reshape = static_cast<Reshape>(testing::pick(random, 0, 2));
    if (testing::pick(random, 0, 1) == 0) options.max_depth = testing::pick(random, 0, 6);
    expect_same_everywhere(make_label_grid(map), options, testing::grid_instances(map));
  }
}

TEST(GridTreeModel, ExactModelGivesTheMapAtTheGrid) {
  testing::Random random(12);
  const DecisionMap map = testing::random_map(random, 25, 48, 9);
  const Model model = fit(make_label_grid(map), {});
  const std::vector<Instance> instances = testing::grid_instances(map);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    EXPECT_EQ(model.decide(instances[i]), map.methods[map.best[i]]);
  }
}

TEST(GridTreeModel, JsonAndBackIsTheSame) {
  testing::Random random(13);
  const DecisionMap map = testing::random_map(random, 9, 14, 6);
  for (const Reshape reshape : {Reshape::kEnd, Reshape::kEven, Reshape::kNone}) {
    const Model model = fit(make_label_grid(map), {reshape, 3, 0.9});
    const auto loaded = model_from_json(to_json(model));
    EXPECT_EQ(to_json(loaded), to_json(model));
    EXPECT_EQ(loaded.kind, reshape == Reshape::kNone ? "kdtree" : "quadtree");
    EXPECT_EQ(loaded.rules, model.rules);
  }
}

TEST(Octree, OverCollectivesGivesEachItsOwnMethods) {
  testing::Random random(15);
  DecisionMap bcast = testing::random_map(random, 9, 14, 6);
  DecisionMap reduce = testing::random_map(random, 12, 11, 4);
  reduce.collective = Collective::kReduce;
  for (Method& method : reduce.methods) method.algorithm = "reduce_" + method.algorithm;
  const DecisionMap maps[] = {reduce, bcast};
  const LabelGrid grid = make_collective_grid(maps);
  for (std::uint64_t depth = 0; depth < 7; ++depth) {
    for (const Reshape reshape : {Reshape::kEnd, Reshape::kNone}) {
      const Model model = fit(grid, {.reshape = reshape, .max_depth = depth});
      EXPECT_EQ(model.rules.roots.size(), 2U);
      expect_same_everywhere(grid, {.reshape = reshape, .max_depth = depth},
                             testing::grid_instances(reduce));
      for (const Instance& instance : testing::grid_instances(reduce)) {
        ASSERT_TRUE(model.decide(instance).algorithm.starts_with("reduce_"));
      }
      EXPECT_EQ(to_json(model_from_json(to_json(model))), to_json(model));
    }
  }
  const Model exact = fit(grid, {});
  EXPECT_EQ(exact.kind, "octree");
  for (const DecisionMap& map : maps) {
    const std::vector<Instance> instances = testing::grid_instances(map);
    for (std::size_t i = 0; i < instances.size(); ++i) {
      EXPECT_EQ(exact.decide(instances[i]), map.methods[map.best[i]]);
    }
  }
  EXPECT_THROW(exact.decide({Collective::kScan, 2, 2}), Error);
}

TEST(Octree, OverRanksPerNodeTellsPlacementsApart) {
  testing::Random random(16);
  DecisionMap spread = testing::random_map(random, 6, 9, 5);
  DecisionMap packed = spread;
  for (std::uint16_t& best : packed.best) best = static_cast<std::uint16_t>((best + 1) % 5);
  const DecisionMap maps[] = {spread, packed};
  const LabelGrid grid = make_placement_grid(maps, {1, 32});
  const Model model = fit(grid, {});
  const std::vector<Instance> instances = testing::grid_instances(spread);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    Instance instance = instances[i];
    EXPECT_EQ(model.decide(instance), spread.methods[spread.best[i]]);  // unknown: the fewest
    instance.ranks_per_node = 6;                                        // nearer to 32 than to 1
    EXPECT_EQ(model.decide(instance), spread.methods[packed.best[i]]);
  }
  expect_same_everywhere(grid, {}, {});
}

}  // namespace
}  // namespace colltree::model
