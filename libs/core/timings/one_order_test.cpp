// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "base/error.h"
#include "timings/timings.h"

namespace colltree {

namespace {

// Two instances of allreduce on 8 ranks; a row of times each.
Timings allreduce(std::vector<std::string> algorithms, std::vector<double> time_us) {
  Timings timings;
  timings.system = "s";
  timings.collective = Collective::kAllreduce;
  for (std::string& algorithm : algorithms)
    timings.methods.push_back({std::move(algorithm), 0, {}});
  timings.instances = {{Collective::kAllreduce, 8, 64}, {Collective::kAllreduce, 8, 1 << 20}};
  timings.time_us = std::move(time_us);
  timings.default_us = {kNoTime, kNoTime};
  return timings;
}

std::string refused(const Timings& timings) {
  try {
    in_one_order(timings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OneOrder, TakesTheOrderThatLosesLeastOnAverage) {
  const Timings narrowed =
      in_one_order(allreduce({"reduce_bcast", "recursive_doubling", "ring", "butterfly"},  //
                             {10, 8, 20, 9, 400, 900, 200, 300}));
  ASSERT_EQ(narrowed.methods.size(), 2U);
  EXPECT_EQ(narrowed.methods[0].algorithm, "recursive_doubling");
  EXPECT_EQ(narrowed.methods[1].algorithm, "butterfly");
  EXPECT_EQ(testing::values_of(narrowed.time_us), (std::vector<double>{8, 9, 900, 300}));
  ASSERT_TRUE(narrowed.one_order);
  EXPECT_EQ(narrowed.one_order->order, "near pairs");
  EXPECT_EQ(narrowed.one_order->methods, 2U);
  EXPECT_EQ(narrowed.one_order->of_methods, 4U);
  EXPECT_DOUBLE_EQ(narrowed.one_order->mean_penalty, 0.25);
  EXPECT_DOUBLE_EQ(narrowed.one_order->max_penalty, 0.5);
}

TEST(OneOrder, MustHaveAMethodEverywhere) {
  const Timings narrowed = in_one_order(allreduce({"reduce_bcast", "butterfly"},  //
                                                  {1000, kNoTime, 400, 1}));
  ASSERT_EQ(narrowed.methods.size(), 1U);
  EXPECT_EQ(narrowed.one_order->order, "binomial tree");
}

TEST(OneOrder, SaysWhatIsMissing) {
  EXPECT_EQ(refused(allreduce({"ring"}, {1, 2})),
            "allreduce on s: none of the methods always adds up in one order; measure more "
            "methods, such as reduce binomial, allreduce recursive_doubling and butterfly");
  EXPECT_EQ(refused(allreduce({"butterfly", "ring"}, {kNoTime, 1, 2, 3})),
            "allreduce on s: no order of sums has a method at every instance (near pairs: none at "
            "1 of 2); measure more methods, such as reduce binomial, allreduce recursive_doubling "
            "and butterfly");
}

TEST(OneOrder, LeavesWhatDoesNotAddUp) {
  Timings timings = allreduce({"linear", "binomial"}, {1, 2, 3, 4});
  timings.collective = Collective::kBcast;
  for (Instance& at : timings.instances) at.collective = Collective::kBcast;
  const Timings same = in_one_order(timings);
  EXPECT_EQ(same.methods.size(), 2U);
  EXPECT_FALSE(same.one_order);
}

}  // namespace

}  // namespace colltree
