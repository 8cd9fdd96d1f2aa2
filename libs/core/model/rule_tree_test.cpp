// SPDX-License-Identifier: BSD-3-Clause
#include "model/rule_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch.h"
#include "model/test_models.h"

namespace colltree::model {

namespace {

// bcast: p <= 8 ? (m <= 1024 ? binomial : linear) : linear.
RuleTree small_tree() {
  RuleTree tree{.methods = {{"linear", 0}, {"binomial", 1024}},
                .roots = {{Collective::kBcast, 0}},
                .nodes = {}};
  append_test(tree, Attribute::kCommunicatorSize, 8);
  append_test(tree, Attribute::kMessageSize, 1024);
  const std::uint32_t binomial = append_leaf(tree, 1);
  const std::uint32_t linear = append_leaf(tree, 0);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = linear;
  tree.nodes[1].low = binomial;
  tree.nodes[1].high = linear;
  return tree;
}

TEST(RuleTree, DecidesOnBothSidesOfAThreshold) {
  const RuleTree tree = small_tree();
  const auto at = [&](std::uint64_t ranks, std::uint64_t bytes) {
    return decide(tree, {Collective::kBcast, ranks, bytes}).label();
  };
  EXPECT_EQ(at(8, 1024), "Binomial_1K");
  EXPECT_EQ(at(8, 1025), "Linear_0K");
  EXPECT_EQ(at(9, 1024), "Linear_0K");
  EXPECT_EQ(at(0, 0), "Binomial_1K");
  EXPECT_EQ(at(UINT64_MAX, UINT64_MAX), "Linear_0K");
}

TEST(RuleTree, EveryAttributeHasItsValue) {
  const Instance instance{Collective::kBcast, 12, 100, 3, 4};
  const std::uint64_t expected[kAttributes] = {12, 100, 3, 4, 0, 1};
  for (std::size_t i = 0; i < kAttributes; ++i) {
    const auto attribute = static_cast<Attribute>(i);
    EXPECT_EQ(attribute_value(attribute, instance), expected[i]) << name(attribute);
    EXPECT_EQ(parse_attribute(name(attribute)), attribute);
  }
  const Instance sixteen{Collective::kBcast, 16, 0};
  EXPECT_EQ(attribute_value(Attribute::kCommunicatorSizeIsPowerOfTwo, sixteen), 1U);
  const Instance odd{Collective::kBcast, 16, 101};
  EXPECT_EQ(attribute_value(Attribute::kMessageSizeIsEven, odd), 0U);
}

TEST(RuleTree, UnknownCollectiveNamesTheKnown) {
  EXPECT_EQ(error_of([] {
              decide(small_tree(), {Collective::kReduce, 2, 2});
            }),
            "the model does not decide for reduce; it does for bcast");
}

TEST(RuleTree, ShapeCountsASharedNodeOncePerPath) {
  const TreeShape tree = shape(small_tree(), 0);
  EXPECT_EQ(tree.leaves, 3U);
  EXPECT_EQ(tree.nodes, 5U);
  EXPECT_EQ(tree.min_depth, 1U);
  EXPECT_EQ(tree.max_depth, 2U);
  EXPECT_DOUBLE_EQ(tree.mean_depth, 5.0 / 3);
}

TEST(RuleTree, TheTotalShapeIsTheMeanOverTheLeavesOfAllRoots) {
  RuleTree tree = small_tree();
  tree.roots.push_back({Collective::kReduce, append_leaf(tree, 0)});
  const TreeShape total = total_shape(tree);
  EXPECT_EQ(total.leaves, 4U);
  EXPECT_EQ(total.nodes, 6U);
  EXPECT_EQ(total.min_depth, 0U);
  EXPECT_EQ(total.max_depth, 2U);
  EXPECT_DOUBLE_EQ(total.mean_depth, 5.0 / 4);
}

TEST(RuleTree, ThresholdsAreThoseThatANodeReachesAndThatCut) {
  RuleTree tree = small_tree();
  const auto test_before_a_leaf = [&](Attribute attribute, std::uint64_t threshold) {
    const std::uint32_t test = append_test(tree, attribute, threshold);
    tree.nodes[test].low = append_leaf(tree, 0);
    tree.nodes[test].high = append_leaf(tree, 1);
    return test;
  };
  tree.nodes[0].high = test_before_a_leaf(Attribute::kMessageSize, UINT64_MAX);
  tree.nodes[1].high = test_before_a_leaf(Attribute::kMessageSizeIsEven, 0);
  test_before_a_leaf(Attribute::kNodes, 4);  // nothing leads there
  const Thresholds all = thresholds_of(tree, 0);
  EXPECT_THAT(all[Attribute::kCommunicatorSize], ::testing::ElementsAre(8U));
  EXPECT_THAT(all[Attribute::kMessageSize], ::testing::ElementsAre(1024U));
  EXPECT_THAT(all[Attribute::kMessageSizeIsEven], ::testing::ElementsAre(0U));
  EXPECT_THAT(all[Attribute::kNodes], ::testing::IsEmpty());
  EXPECT_THAT(thresholds_of(tree, 1)[Attribute::kCommunicatorSize], ::testing::IsEmpty());
}

TEST(RuleTree, ValidateSaysWhatIsBroken) {
  EXPECT_NO_THROW(validate(small_tree()));
  struct Case {
    void (*damage)(RuleTree&);
    const char* error;
  };
  const Case cases[] = {
      {[](RuleTree& tree) { tree.roots.clear(); }, "a rule tree without a root decides nothing"},
      {[](RuleTree& tree) { tree.roots.push_back(tree.roots[0]); }, "bcast has more than one root"},
      {[](RuleTree& tree) { tree.roots[0].node = 4; }, "the root of bcast is node 4 of 4"},
      {[](RuleTree& tree) { tree.nodes[1].low = 4; }, "node 1: child 4 of 4 nodes"},
      {[](RuleTree& tree) { tree.nodes[1].high = 0; }, "node 1: child 0 does not come after it"},
      {[](RuleTree& tree) { tree.nodes[2].method = 2; }, "node 2: method 2 of 2"},
  };
  for (const Case& one : cases) {
    RuleTree tree = small_tree();
    one.damage(tree);
    EXPECT_EQ(error_of([&] { validate(tree); }), one.error);
  }
}

std::uint16_t first_match(const std::vector<BoundedRule>& rules, std::uint16_t otherwise,
                          const Instance& at) {
  for (const BoundedRule& rule : rules) {
    const bool fires = std::ranges::all_of(rule.bounds, [&](const Bound& bound) {
      return (attribute_value(bound.attribute, at) > bound.threshold) == bound.above;
    });
    if (fires) return rule.method;
  }
  return otherwise;
}

TEST(FirstMatch, DecidesAsTheRulesOnRandomLists) {
  testing::Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<BoundedRule> rules(testing::pick(random, 0, 8));
    for (BoundedRule& rule : rules) {
      rule.method = static_cast<std::uint16_t>(testing::pick(random, 0, 3));
      rule.bounds.resize(testing::pick(random, 0, 4));
      for (Bound& bound : rule.bounds) {
        bound.attribute = static_cast<Attribute>(testing::pick(random, 0, kAttributes - 1));
        bound.threshold = testing::pick(random, 0, 5);
        if (testing::pick(random, 0, 20) == 0) bound.threshold = UINT64_MAX;
        bound.above = testing::pick(random, 0, 1) == 1;
      }
    }
    RuleTree tree{.methods = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}},
                  .roots = {{Collective::kBcast, 0}},
                  .nodes = {}};
    ASSERT_EQ(append_first_match(tree, rules, 2), 0U);
    validate(tree);
    for (const Instance& at : testing::telling_instances(tree)) {
      ASSERT_EQ(decide_from(tree, 0, at), first_match(rules, 2, at));
    }
  }
}

TEST(FirstMatch, EqualSidesAreOneLeaf) {
  RuleTree tree{.methods = {{"a", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  append_first_match(tree, std::vector<BoundedRule>{{{{Attribute::kMessageSize, 9, true}}, 0}}, 0);
  EXPECT_EQ(tree.nodes.size(), 1U);
}

}  // namespace

}  // namespace colltree::model
