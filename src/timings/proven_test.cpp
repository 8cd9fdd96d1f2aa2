// SPDX-License-Identifier: BSD-3-Clause
#include "timings/proven.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
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
  try {
    proven(std::vector{timings}, 0.05);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Proven, NeedsTheDefault) {
  Timings none = one_method(70, 80);
  none.methods[1] = {"linear", 0};
  EXPECT_EQ(refusal(none),
            "bcast on s: a gain over the library's own choice needs its times; measure 'default' "
            "too, or leave the gain out");
  Timings holes = one_method(70, 80);
  for (const std::size_t i : {1, 3, 5}) holes.time_us.set(i, kNoTime);
  EXPECT_EQ(refusal(holes),
            "bcast on s: the library's own choice was measured at no instance; measure again with "
            "--retry-failed where it failed, or leave the gain out (--least-gain none)");
}

}  // namespace
}  // namespace colltree
