// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "model/testing.h"

namespace colltree {
namespace {

ModelOrigin origin_of(const LabelGrid& grid) {
  return {"random", "simulated", grid.collectives, grid.points()};
}

GridTreeModel fit(const LabelGrid& grid, const GridTreeOptions& options) {
  return {origin_of(grid), grid, options};
}

void expect_same_everywhere(const GridTreeModel& model, const std::vector<Instance>& further) {
  const RuleTree tree = model.lower();
  validate(tree);
  for (const Instance& instance : testing::telling_instances(tree, further)) {
    ASSERT_EQ(model.decide(instance), decide(tree, instance))
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
    expect_same_everywhere(fit(make_label_grid(map), options), testing::grid_instances(map));
  }
}

TEST(GridTreeModel, ExactModelGivesTheMapAtTheGrid) {
  testing::Random random(12);
  const DecisionMap map = testing::random_map(random, 25, 48, 9);
  const GridTreeModel model = fit(make_label_grid(map), {});
  const std::vector<Instance> instances = testing::grid_instances(map);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    EXPECT_EQ(model.decide(instances[i]), map.methods[map.best[i]]);
  }
}

TEST(GridTreeModel, JsonAndBackIsTheSame) {
  testing::Random random(13);
  const DecisionMap map = testing::random_map(random, 9, 14, 6);
  for (const Reshape reshape : {Reshape::kEnd, Reshape::kEven, Reshape::kNone}) {
    GridTreeModel model = fit(make_label_grid(map), {reshape, 3, 0.9});
    model.add_statistic("performance_penalty", {{"mean", 0.0075}});
    const auto loaded = model_from_json(to_json(model));
    EXPECT_EQ(to_json(*loaded), to_json(model));
    EXPECT_EQ(loaded->kind(), reshape == Reshape::kNone ? "kdtree" : "quadtree");
    EXPECT_EQ(loaded->lower(), model.lower());
  }
}

TEST(GridTreeModel, DamagedBodiesAreRefused) {
  testing::Random random(14);
  const GridTreeModel model = fit(make_label_grid(testing::random_map(random, 4, 4, 4)), {});
  struct Case {
    void (*damage)(Json& body);
    const char* error;
  };
  const Case cases[] = {
      {[](auto& body) { body["nodes"] = Json::array(); }, "the tree has no nodes"},
      {[](auto& body) { body["nodes"][0][0] = 0; }, "node 0: children at 0 of"},
      {[](auto& body) { body["nodes"][0][1] = 5; }, "node 0: split 5 is beyond axis 0"},
      {[](auto& body) {
         body["nodes"][0] = {1, nullptr, nullptr};
       },
       "inner node without a split"},
      {[](auto& body) { body["nodes"].back()[0] = 9; }, "method 9 of 4"},
      {[](auto& body) { body["axes"].erase(0); }, "'axes' must be two or three"},
      {[](auto& body) { body["axes"][0]["values"][1] = 0; }, "must ascend"},
  };
  for (const Case& one : cases) {
    Json envelope = to_json(model);
    one.damage(envelope["body"]);
    try {
      model_from_json(envelope);
      ADD_FAILURE() << one.error;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(one.error));
    }
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
      const GridTreeModel model = fit(grid, {.reshape = reshape, .max_depth = depth});
      EXPECT_EQ(model.lower().roots.size(), 2U);
      expect_same_everywhere(model, testing::grid_instances(reduce));
      for (const Instance& instance : testing::grid_instances(reduce)) {
        ASSERT_TRUE(model.decide(instance).algorithm.starts_with("reduce_"));
      }
      EXPECT_EQ(to_json(*model_from_json(to_json(model))), to_json(model));
    }
  }
  const GridTreeModel exact = fit(grid, {});
  EXPECT_EQ(exact.kind(), "octree");
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
  const GridTreeModel model = fit(make_placement_grid(maps, {1, 32}), {});
  const std::vector<Instance> instances = testing::grid_instances(spread);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    Instance instance = instances[i];
    EXPECT_EQ(model.decide(instance), spread.methods[spread.best[i]]);  // unknown: the fewest
    instance.ranks_per_node = 6;                                        // nearer to 32 than to 1
    EXPECT_EQ(model.decide(instance), spread.methods[packed.best[i]]);
  }
  expect_same_everywhere(model, {});
}

}  // namespace
}  // namespace colltree
