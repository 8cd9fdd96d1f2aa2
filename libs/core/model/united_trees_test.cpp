// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/rule_tree.h"

namespace colltree::model {
namespace {

// Below the threshold `below`, else `above`.
RuleTree step(Collective collective, const Method& below, const Method& above) {
  RuleTree tree{.methods = {above, below}, .roots = {{collective, 0}}, .nodes = {}};
  append_test(tree, Attribute::kMessageSize, 100);
  tree.nodes[0].low = append_leaf(tree, 1);
  tree.nodes[0].high = append_leaf(tree, 0);
  return tree;
}

TEST(UnitedTrees, DecideAsEachOfThem) {
  const Method linear{"linear", 0};
  const Method pipeline{"pipeline", 1024};
  const Method binomial{"binomial", 0};
  const RuleTree bcast = step(Collective::kBcast, linear, pipeline);
  const RuleTree reduce = step(Collective::kReduce, binomial, linear);
  const RuleTree both = united(std::vector{bcast, reduce});
  EXPECT_EQ(both.methods.size(), 3U);
  for (const std::uint64_t bytes : {100, 101}) {
    EXPECT_EQ(decide(both, {Collective::kBcast, 2, bytes}),
              decide(bcast, {Collective::kBcast, 2, bytes}));
    EXPECT_EQ(decide(both, {Collective::kReduce, 2, bytes}),
              decide(reduce, {Collective::kReduce, 2, bytes}));
  }
}

TEST(UnitedTrees, RefuseACollectiveTwiceAndNothing) {
  const RuleTree tree = step(Collective::kBcast, {"a", 0}, {"b", 0});
  EXPECT_THROW(united(std::vector{tree, tree}), Error);
  EXPECT_THROW(united({}), Error);
}

}  // namespace
}  // namespace colltree::model
