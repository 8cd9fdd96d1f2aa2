// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/equals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace colltree::surrogate {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr std::uint64_t kRowsOfRanks[] = {4, 8, 16, 32, 64, 128, 256};

// Six methods that are all the library's own choice; the last takes `factor` times as long.
// The noise has two standard deviations of log time: one for every single time, one for a job, that
// is for all times of a method on one communicator size.
struct NoiseOf {
  double time = 0;
  double job = 0;
};
Timings equals_table(std::size_t rows, NoiseOf noise, double factor, std::uint64_t seed) {
  Timings timings{.system = "s", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {library_default(), {"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"e", 0}};
  SeededRandom random(seed);
  for (const std::uint64_t ranks : std::span(kRowsOfRanks).first(rows)) {
    double of_job[6];
    for (double& one : of_job) one = noise.job * random.normal();
    for (std::uint64_t bytes = 8; bytes <= 8 << 14; bytes *= 4) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const double usual_us = 10 + static_cast<double>(ranks) + static_cast<double>(bytes) / 100;
      for (std::size_t m = 0; m < 6; ++m)
        timings.time_us.push_back(usual_us * (m == 5 ? factor : 1) *
                                  std::exp(of_job[m] + noise.time * random.normal()));
      timings.default_us.push_back(usual_us);
    }
  }
  return timings;
}

constexpr std::uint64_t kTables = 30;

TEST(LikeDefault, NamesThatAreAllTheSameAreFound) {
  for (const NoiseOf noise : {NoiseOf{0.02}, NoiseOf{0.2}}) {
    for (const std::size_t rows : {3, 7}) {
      std::size_t all = 0;
      for (std::uint64_t seed = 1; seed <= kTables; ++seed)
        all += like_default(equals_table(rows, noise, 1, seed)).size() == 5 ? 1 : 0;
      EXPECT_GE(all, kTables - 1) << rows << " " << noise.time;
    }
  }
}

TEST(LikeDefault, TellsMethodsFromJobsByWhatIsKnownOrByManyJobs) {
  Timings two = equals_table(2, {0.02}, 1, 1);
  EXPECT_TRUE(tells_methods_from_jobs(two));
  two.jobs = Jobs::kNotKnown;
  EXPECT_FALSE(tells_methods_from_jobs(two));
  Timings three = equals_table(3, {0.02}, 1, 1);
  three.jobs = Jobs::kNotKnown;
  EXPECT_TRUE(tells_methods_from_jobs(three));
}

TEST(LikeDefault, WhatIsReallyFasterIsToldApart) {
  for (const NoiseOf noise : {NoiseOf{0.02}, NoiseOf{0.1}, NoiseOf{0.02, 0.05}}) {
    for (const std::size_t rows : {3, 7}) {
      std::size_t missed = 0;
      for (std::uint64_t seed = 1; seed <= kTables; ++seed) {
        const auto like = like_default(equals_table(rows, noise, 0.8, seed));
        missed += std::ranges::count(like, Method{"e", 0}) > 0 ? 1 : 0;
      }
      EXPECT_LE(missed, 1U) << rows << " " << noise.time << " " << noise.job;
    }
  }
}

TEST(LikeDefault, TimesThatAreTheSameToTheLastDigitAre) {
  EXPECT_EQ(like_default(equals_table(3, {}, 1, 1)).size(), 5U);
  EXPECT_EQ(like_default(equals_table(3, {}, 0.999, 1)).size(), 4U);
}

TEST(LikeDefault, NothingIsSaidOfFewTimesOrWithoutTheDefault) {
  Timings timings = equals_table(3, {0.02}, 1, 1);
  timings.methods[0] = {"f", 0};
  EXPECT_THAT(like_default(timings), IsEmpty());
  EXPECT_THAT(like_default(equals_table(2, {0.02}, 1, 1)), IsEmpty());  // two communicator sizes
  const std::vector<std::size_t> few = {0, 4, 8, 12, 16, 20};
  EXPECT_THAT(like_default(select_instances(equals_table(3, {0.02}, 1, 1), few)), IsEmpty());
}

TEST(LikeDefault, AMethodOfFewTimesDoesNotHideTheOthers) {
  Timings timings = equals_table(5, {0.02}, 1, 1);
  for (std::size_t i = 2; i < timings.instances.size(); ++i) timings.time_us.set(i * 6 + 3, Time());
  const auto like = like_default(timings);
  EXPECT_EQ(like.size(), 4U);
  EXPECT_THAT(like, ::testing::Not(Contains(Method{"c", 0})));
}

}  // namespace
}  // namespace colltree::surrogate
