// SPDX-License-Identifier: BSD-3-Clause
#include "timings/kept_methods.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_scratch.h"
#include "timings/test_times.h"

namespace colltree {

namespace {

// Three instances; the default takes 100 us, between 90 and 110.
Timings one_method(double low_us, double high_us) {
  Timings timings{.system = "s",
                  .provenance = "measured",
                  .methods = {{"binomial", 0}, {kDefaultAlgorithm, std::nullopt}}};
  for (const std::uint64_t ranks : {2, 3, 4}) {
    timings.instances.push_back({Collective::kBcast, ranks, 8});
    timings.time_us.push_back(Time::measured((low_us + high_us) / 2, {low_us, high_us}));
    timings.time_us.push_back(Time::measured(100, {90, 110}));
    timings.default_us.push_back(100);
  }
  return timings;
}

bool may_be_chosen(double low_us, double high_us, double gain) {
  const Timings left = proven(std::vector{one_method(low_us, high_us)}, gain)[0];
  EXPECT_EQ(left.at(0, 1).known_us(), 100);  // the default always may
  return !left.at(0, 0).is_impossible();
}

TEST(Proven, OnlyWhatIsFasterWithCertainty) {
  EXPECT_TRUE(may_be_chosen(70, 90, 0));
  EXPECT_FALSE(may_be_chosen(70, 91, 0));  // the intervals meet
  EXPECT_FALSE(may_be_chosen(70, 90, 0.05));
  EXPECT_TRUE(may_be_chosen(70, 85, 0.05));
  EXPECT_FALSE(may_be_chosen(200, 300, 0.05));
}

TEST(Proven, WithoutIntervalsTheTimesAreTakenAsTheyAre) {
  Timings timings = one_method(92, 96);
  testing::forget_intervals(timings.time_us);
  EXPECT_FALSE(proven(std::vector{timings}, 0.05)[0].at(0, 0).is_impossible());
  EXPECT_TRUE(proven(std::vector{timings}, 0.10)[0].at(0, 0).is_impossible());
}

TEST(Proven, InstancesWithoutTheDefaultAreLeftOut) {
  Timings timings = one_method(70, 80);
  timings.time_us.set(3, kNoTime);
  const Timings left = proven(std::vector{timings}, 0.05)[0];
  ASSERT_EQ(left.instances.size(), 2U);
  EXPECT_EQ(left.instances[1].communicator_size, 4U);
  EXPECT_EQ(left.time_us.size(), 4U);
  EXPECT_EQ(left.time_us[3].interval()->high, 110);
}

std::string refusal(const Timings& timings) {
  return error_of([&] { proven(std::vector{timings}, 0.05); });
}

TEST(Proven, NeedsTheDefault) {
  Timings none = one_method(70, 80);
  none.methods[1] = {"linear", 0};
  EXPECT_EQ(refusal(none),
            "bcast on s: a gain over the library's own choice needs its times; measure 'default' "
            "too, or leave the gain out");
  Timings holes = one_method(70, 80);
  for (const std::size_t i : {1, 3, 5}) holes.time_us.set(i, kNoTime);
  EXPECT_EQ(
      refusal(holes),
      "bcast on s: at no instance was the library's own choice measured beside another method; "
      "complete the measurement, with --retry-failed where it failed, or leave the gain out "
      "(--least-gain none)");
}

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
