// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "engine/arithmetic.h"
#include "engine/prune.h"
#include "release8/item_order.h"
#include "release8/reports.h"
#include "release8/training.h"

namespace colltree::c45 {
namespace {

using ::testing::HasSubstr;

Dataset read(const std::string& names, const std::string& data) {
  Problems problems;
  Dataset dataset;
  dataset.schema = parse_names(names, "t.names", problems);
  dataset.cases = parse_cases(data, "t.data", dataset.schema, problems);
  return dataset;
}

// A chain of n tests, as deep as it has nodes.
Tree chain(std::uint32_t n) {
  Tree tree;
  for (std::uint32_t i = 0; i < n; ++i) {
    Node node;
    node.test = TestKind::kThreshold;
    node.items = static_cast<float>(n - i);
    node.cut = node.lower = node.upper = static_cast<float>(i);
    node.first = static_cast<std::uint32_t>(tree.links.size());
    node.count = 2;
    tree.links.push_back(2 * i + 1);
    tree.links.push_back(2 * i + 2);
    tree.nodes.push_back(node);
    Node leaf;
    leaf.items = 1;
    leaf.label = i % 2;
    leaf.first = static_cast<std::uint32_t>(tree.distribution.size());
    leaf.count = 1;
    tree.distribution.push_back({leaf.label, 1});
    tree.nodes.push_back(leaf);
  }
  tree.nodes.push_back(tree.nodes.back());
  return tree;
}

Dataset chain_data(std::uint32_t cases) {
  Dataset data = read("A, B.\nx: continuous.\n", "");
  for (std::uint32_t i = 0; i < cases; ++i) {
    data.cases.numbers[0].push_back(static_cast<float>(i));
    data.cases.label.push_back(i % 2);
  }
  return data;
}

// A stack of 8 MB would overflow at a depth of some ten thousand with recursion.
TEST(C45Tree, DeepTreesOverflowNothing) {
  constexpr std::uint32_t kDepth = 500000;
  const Tree tree = chain(kDepth);
  const Dataset data = chain_data(3);
  EXPECT_EQ(size_of(tree).max_depth, kDepth);
  EXPECT_EQ(compacted(tree).nodes.size(), tree.nodes.size());
  EXPECT_EQ(count_errors(classify(tree, data.schema, data.cases), data.cases), 0U);
  EXPECT_GT(tree_json(tree).size(), kDepth);
  EXPECT_GT(tree_dot(tree, data.schema).size(), kDepth);
  Tree softened = tree;
  set_soft_thresholds(softened, data.schema, data.cases);
  drop_impossible_values(softened, data.schema);
}

TEST(C45Tree, PruningADeepTreeOverflowsNothing) {
  constexpr std::uint32_t kDepth = 20000;  // pruning a chain costs the square of its depth
  const Tree tree = chain(kDepth);
  const Dataset data = chain_data(20);
  ItemOrder order(data.cases.size());
  const PruneResult complete = CompletePruner(tree, data.schema, data.cases).prune(0.25F);
  const PruneResult ordered = prune_ordered(tree, data.schema, data.cases, order, 0.25F);
  EXPECT_EQ(tree_json(complete.tree), tree_json(ordered.tree));
}

TEST(C45Tree, TextPutsLeavesFirst) {
  const Dataset data = read("A, B.\ncoll: Bcast, Reduce.\nsize: continuous.\n",
                            "Bcast,1,A\nBcast,2,A\nBcast,1000,B\nBcast,1001,B\nReduce,1,B\n"
                            "Reduce,1000,B\nReduce,2,B\nReduce,2000,B\n");
  const Training training = train(data.schema, data.cases, {});
  EXPECT_EQ(tree_text(training.trials[0].grown, data.schema),
            "coll = Reduce : B (4.0)\n"
            "coll = Bcast :\n"
            "|   size <= 2 : A (2.0)\n"
            "|   size > 2 : B (2.0)\n");
  EXPECT_THAT(
      tree_c(training.trials[0].grown, data.schema, "pick"),
      HasSubstr("int pick(int coll, float size) {\n  if (coll == 1) {\n    if (size <= 2.0f)"));
  EXPECT_THAT(tree_dot(training.trials[0].grown, data.schema), HasSubstr("[label=\"= Bcast\"]"));
}

TEST(C45Fit, RefusesAnIncompleteTable) {
  const Dataset good = read("A, B.\ncoll: Bcast, Reduce.\nsize: continuous.\nhost: ignore.\n",
                            "Bcast,1,h,A\nReduce,2,?,B\n");
  EXPECT_EQ(fit_tree(good.schema, good.cases, {}).grown.nodes.size(), 1U);
  const auto refusal = [&](auto&& spoil) -> std::string {
    Cases cases = good.cases;
    spoil(cases);
    try {
      fit_tree(good.schema, cases, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal([](Cases& cases) { cases = {}; }), "no cases to fit a tree to");
  EXPECT_EQ(refusal([](Cases& cases) { cases.values[0][1] = kUnknownValue; }),
            "attribute 'coll': case 1 lacks a value; leave such cases out");
  EXPECT_EQ(refusal([](Cases& cases) { cases.numbers[1][0] = kUnknownNumber; }),
            "attribute 'size': case 0 lacks a value; leave such cases out");
  EXPECT_EQ(refusal([](Cases& cases) { cases.numbers[1].pop_back(); }),
            "attribute 'size': expected a value for each of 2 cases, got 1");
}

TEST(C45Random, DrawsAsGlibcWithSeed1) {
  Random random;
  EXPECT_EQ(random.next(), 1804289383U);
  EXPECT_EQ(random.next(), 846930886U);
  EXPECT_EQ(random.next(), 1681692777U);
}

// The examples of section 4.2 of Quinlan's book: U25%(0,6) = .206, U(0,9) = .143, U(0,1) = .750,
// U(1,16) = .157.
TEST(C45Pessimistic, GivesTheBooksExamples) {
  const Pessimistic quarter(0.25F);
  EXPECT_NEAR(quarter.leaf(6, 0) / 6, 0.206, 0.0005);
  EXPECT_NEAR(quarter.leaf(9, 0) / 9, 0.143, 0.0005);
  EXPECT_NEAR(quarter.leaf(1, 0) / 1, 0.750, 0.0005);
  EXPECT_NEAR(quarter.leaf(16, 1) / 16, 0.157, 0.002);  // the interpolated quantile
  EXPECT_EQ(quarter.extra(2, 2), 0.0F);
}

// Above 2^24 two values can be adjacent float32 numbers, and their midpoint the greater one.
TEST(C45Repairs, AdjacentFloatsDoNotRecurseForEver) {
  const Dataset data =
      read("A, B.\nx: continuous.\n", "20000002,A\n20000002,A\n20000004,B\n20000004,B\n");
  const Training training = train(data.schema, data.cases, {});
  EXPECT_EQ(size_of(training.trials[0].grown).leaves, 2U);
  EXPECT_EQ(training.trials[0].grown.nodes[0].errors, 0);
  TrainOptions strict;
  strict.tree.strict_r8 = true;
  EXPECT_THROW(train(data.schema, data.cases, strict), Error);
}

}  // namespace
}  // namespace colltree::c45
