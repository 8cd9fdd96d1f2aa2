// SPDX-License-Identifier: BSD-3-Clause
#include "emit/simplify.h"

#include <gtest/gtest.h>

#include "model/kinds/quadtree.h"
#include "model/test_models.h"

namespace colltree::emit {
namespace {

model::RuleTree random_tree(testing::Random& random, const model::GridTreeOptions& options = {}) {
  const DecisionMap map =
      testing::random_map(random, testing::pick(random, 1, 8), testing::pick(random, 1, 12), 5);
  const model::LabelGrid grid = model::make_label_grid(map);
  return model::fit_quadtree({"", "", grid.collectives, 0}, grid, options).rules;
}

void expect_equal(const model::RuleTree& a, const model::RuleTree& b) {
  model::validate(b);
  for (const Instance& instance : testing::telling_instances(a)) {
    ASSERT_EQ(model::decide(a, instance), model::decide(b, instance))
        << instance.communicator_size << " " << instance.message_size;
  }
}

// A full binary tree of tests on all attributes with random thresholds, many of them useless.
std::uint32_t grow(model::RuleTree& tree, testing::Random& random, unsigned depth) {
  if (depth == 0 || testing::pick(random, 0, 5) == 0) {
    return model::append_leaf(tree, static_cast<std::uint16_t>(testing::pick(random, 0, 2)));
  }
  const auto attribute = static_cast<Attribute>(testing::pick(random, 0, kAttributes - 1));
  const std::uint64_t thresholds[] = {0, 1, 2, 3, 7, 8, UINT64_MAX - 1, UINT64_MAX};
  const std::uint32_t test =
      model::append_test(tree, attribute, thresholds[testing::pick(random, 0, 7)]);
  const std::uint32_t low = grow(tree, random, depth - 1);
  const std::uint32_t high = grow(tree, random, depth - 1);
  tree.nodes[test].low = low;
  tree.nodes[test].high = high;
  return test;
}

TEST(Simplify, KeepsEveryDecision) {
  testing::Random random(21);
  for (int round = 0; round < 200; ++round) {
    model::RuleTree tree{.methods = {{"a", 0}, {"b", 0}, {"c", 0}}};
    for (const Collective collective : {Collective::kBcast, Collective::kReduce}) {
      const std::uint32_t root = grow(tree, random, 5);
      tree.roots.push_back({collective, root});
    }
    const model::RuleTree simple = simplify(tree);
    expect_equal(tree, simple);
    EXPECT_LE(simple.nodes.size(), tree.nodes.size());
    EXPECT_EQ(simplify(simple), simple);
    const model::RuleTree plain = simplify(tree, false);
    expect_equal(tree, plain);
    EXPECT_LE(simple.nodes.size(), plain.nodes.size());
  }
}

TEST(Simplify, DropsAnsweredTestsAndMergesNeighbours) {
  // m <= 8 ? (m <= 9 ? a : b) : (p <= 3 ? (p <= 2 ? a : b) : (p <= 2 ? a : b))
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  const auto leaf = [](std::uint16_t method) { return model::RuleNode{.method = method}; };
  const auto test = [](Attribute attribute, std::uint64_t threshold, std::uint32_t low,
                       std::uint32_t high) {
    return model::RuleNode{
        .attribute = attribute, .threshold = threshold, .low = low, .high = high};
  };
  tree.nodes = {test(Attribute::kMessageSize, 8, 1, 2),
                test(Attribute::kMessageSize, 9, 5, 6),
                test(Attribute::kCommunicatorSize, 3, 3, 4),
                test(Attribute::kCommunicatorSize, 2, 5, 6),
                test(Attribute::kCommunicatorSize, 2, 5, 6),
                leaf(0),
                leaf(1)};
  const model::RuleTree simple = simplify(tree);
  expect_equal(tree, simple);
  EXPECT_EQ(simple.nodes.size(), 5U);  // m, a, p<=2, a, b
}

// Two tests of the message size under one of the communicator size, with the same methods for short
// messages, and two tests that divide one region twice.
TEST(Simplify, AsksFirstWhatBothSidesAsk) {
  const auto test = [](Attribute attribute, std::uint64_t threshold, std::uint32_t low,
                       std::uint32_t high) {
    return model::RuleNode{
        .attribute = attribute, .threshold = threshold, .low = low, .high = high};
  };
  constexpr auto kRanks = Attribute::kCommunicatorSize;
  constexpr auto kBytes = Attribute::kMessageSize;
  const std::vector<model::RuleNode> leaves = {{.method = 0}, {.method = 1}, {.method = 2}};
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}, {"c", 0}},
      .roots = {{Collective::kBcast, 0}},
      .nodes = {test(kRanks, 8, 1, 2), test(kBytes, 64, 3, 4), test(kBytes, 64, 3, 5)}};
  tree.nodes.insert(tree.nodes.end(), leaves.begin(), leaves.end());
  EXPECT_EQ(simplify(tree).nodes, (std::vector<model::RuleNode>{test(kBytes, 64, 1, 2),
                                                                {.method = 0},
                                                                test(kRanks, 8, 3, 4),
                                                                {.method = 1},
                                                                {.method = 2}}));
  for (const bool above : {false, true}) {
    tree.nodes = above ? std::vector{test(kBytes, 9, 1, 3), test(kBytes, 4, 2, 3)}
                       : std::vector{test(kBytes, 4, 2, 1), test(kBytes, 9, 2, 3)};
    tree.nodes.insert(tree.nodes.end(), leaves.begin(), leaves.end() - 1);
    EXPECT_EQ(simplify(tree).nodes,
              (std::vector<model::RuleNode>{
                  test(kBytes, above ? 4 : 9, 1, 2), {.method = 0}, {.method = 1}}));
  }
}

TEST(Simplify, RandomMapsNeedFewerLeaves) {
  testing::Random random(22);
  for (int round = 0; round < 60; ++round) {
    const model::RuleTree tree = random_tree(random);
    const model::RuleTree simple = simplify(tree);
    expect_equal(tree, simple);
    EXPECT_LE(model::shape(simple, simple.roots[0].node).leaves,
              model::shape(tree, tree.roots[0].node).leaves);
  }
}

TEST(Tabulate, CellsAreTheIntervalsOfTheThresholds) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_test(tree, Attribute::kMessageSize, 8);
  model::append_leaf(tree, 0);
  model::append_leaf(tree, 1);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  const auto grid = tabulate(tree, tree.roots[0], 100);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->axes[0].values, (std::vector<std::uint64_t>{UINT64_MAX}));
  EXPECT_EQ(grid->axes[1].values, (std::vector<std::uint64_t>{8, UINT64_MAX}));
  EXPECT_EQ(grid->labels, (std::vector<std::uint16_t>{0, 1}));
  EXPECT_FALSE(tabulate(tree, tree.roots[0], 1));
}

}  // namespace
}  // namespace colltree::emit
