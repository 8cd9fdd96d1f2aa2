// SPDX-License-Identifier: BSD-3-Clause
#include "model/first_match.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace colltree {
namespace {

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
}  // namespace colltree
