// SPDX-License-Identifier: BSD-3-Clause
// That each order is the true one is proven by tests/schedules.
#include "coll/sum_order.h"

#include <gtest/gtest.h>

#include "coll/catalogue.h"

namespace colltree {
namespace {

std::string order_text(Collective collective, std::string_view label) {
  const auto order = sum_order(collective, parse_method_name(label, 0));
  return order ? text_of(*order) : "none";
}

TEST(SumOrder, IsOfTheAlgorithmWhateverItsSegment) {
  EXPECT_EQ(sum_order(Collective::kReduce, {"binomial", 0, {}}),
            sum_order(Collective::kReduce, {"binomial", 8192, {}}));
  EXPECT_EQ(order_text(Collective::kReduce, "pipeline"), "chain");
  EXPECT_EQ(order_text(Collective::kAllreduce, "recursive_doubling"), "near pairs");
}

TEST(SumOrder, OfAKnomialTreeHasItsRadix) {
  EXPECT_EQ(order_text(Collective::kReduce, "knomial"), "4-nomial tree");
  EXPECT_EQ(order_text(Collective::kReduce, "knomial@radix=8"), "8-nomial tree");
  EXPECT_NE(sum_order(Collective::kReduce, {"knomial", 0, {}}),
            sum_order(Collective::kReduce, {"knomial", 0, {.radix = 8}}));
}

TEST(SumOrder, IsNoneWhereElementsOrPlacementsDiffer) {
  EXPECT_EQ(order_text(Collective::kAllreduce, "ring"), "none");
  EXPECT_EQ(order_text(Collective::kAllreduce, "hierarchical"), "none");
  EXPECT_EQ(order_text(Collective::kAllreduce, "default"), "none");
  EXPECT_EQ(order_text(Collective::kReduce, "unknown"), "none");
}

TEST(SumOrder, OnlyReductionsAddUp) {
  EXPECT_TRUE(adds_up(Collective::kAllreduce));
  EXPECT_TRUE(adds_up(Collective::kExscan));
  EXPECT_FALSE(adds_up(Collective::kBcast));
  EXPECT_FALSE(adds_up(Collective::kAlltoall));
}

}  // namespace
}  // namespace colltree
