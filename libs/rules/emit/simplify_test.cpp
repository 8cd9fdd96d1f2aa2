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
    expect_equal(tree, merge_regions(tree));
  }
}

TEST(Simplify, DropsAnsweredAndIdleTests) {
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
  EXPECT_EQ(simple.nodes.size(), 7U);  // m, a, p<=3, p<=2, a, b, b
}

TEST(MergeRegions, NeverMoreLeavesAndTheSameDecisions) {
  testing::Random random(22);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (int round = 0; round < 60; ++round) {
    const model::RuleTree tree = random_tree(random);
    const model::RuleTree merged = merge_regions(tree);
    expect_equal(tree, merged);
    const model::RuleTree simple = simplify(tree);
    before += model::shape(simple, simple.roots[0].node).leaves;
    after += model::shape(merged, merged.roots[0].node).leaves;
    EXPECT_LE(model::shape(merged, merged.roots[0].node).leaves,
              model::shape(simple, simple.roots[0].node).leaves);
  }
  EXPECT_LT(after, before);
}

TEST(MergeRegions, FrequentCallsNeedFewerTests) {
  testing::Random random(23);
  double plain_sum = 0;
  double mixed_sum = 0;
  for (int round = 0; round < 20; ++round) {
    const model::RuleTree tree = random_tree(random);
    std::vector<CallCount> mix;
    for (int i = 0; i < 3; ++i) {
      mix.push_back(
          {{Collective::kBcast, testing::pick(random, 2, 4000), testing::pick(random, 0, 1 << 20)},
           static_cast<double>(testing::pick(random, 1, 1000))});
    }
    const model::RuleTree plain = simplify(tree);
    const model::RuleTree mixed = merge_regions(tree, mix);
    expect_equal(tree, mixed);
    const double before = expected_tests(plain, plain.roots[0].node, Collective::kBcast, mix);
    const double with = expected_tests(mixed, mixed.roots[0].node, Collective::kBcast, mix);
    EXPECT_LE(with, before);
    plain_sum += before;
    mixed_sum += with;
  }
  EXPECT_LT(mixed_sum, plain_sum);
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
