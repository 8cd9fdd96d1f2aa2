// SPDX-License-Identifier: BSD-3-Clause
#include "model/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "model/fitter.h"

namespace colltree::model {
namespace {

// On 4 and 64 ranks: the library's own choice and one method that takes `factor` of its time, and
// `factor_of_many` on 64.
Timings table(double factor, double noise, double factor_of_many = 0) {
  Timings timings{.system = "s", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {{"a", 0}, library_default()};
  SeededRandom random(1);
  for (const std::uint64_t ranks : {4, 64}) {
    for (std::uint64_t bytes = 16; bytes <= 1 << 20; bytes *= 4) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const double usual_us = 10 + static_cast<double>(bytes) / 100;
      const double here = ranks == 64 && factor_of_many > 0 ? factor_of_many : factor;
      timings.time_us.push_back(usual_us * here * std::exp(noise * random.normal()));
      timings.time_us.push_back(usual_us * std::exp(noise * random.normal()));
      timings.default_us.push_back(usual_us);
    }
  }
  return timings;
}

Expectation of(const char* fitter, const Timings& timings) {
  return expectation_of(parse_fitter(fitter).fit({timings}), {timings});
}

TEST(Expectation, SaysWhatIsGainedAndRisked) {
  const Expectation half = of("optimal:leaves=auto", table(0.5, 0.01));
  ASSERT_TRUE(half.versus_default);
  EXPECT_NEAR(*half.versus_default, -0.5, 0.05);
  EXPECT_LT(half.slower, 0.1);
  EXPECT_THAT(
      expected_gain_text({.versus_default = -0.25, .slower = 0.031, .session_deviation = 0.1}),
      "expected at all sizes, measured or not: 25 % less time than the library's own "
      "choice;\n    slower by more than 2 % at 3.1 % of them (a method is assumed to differ "
      "by 10 % from day to day)");
}

TEST(Expectation, WhatTakesMoreTimeIsSaidToo) {
  const Expectation twice =
      expectation_of(rules_model({}, one_leaf(Collective::kBcast, {"a", 0})), {table(2, 0.01)});
  EXPECT_NEAR(*twice.versus_default, 1, 0.2);
  EXPECT_GT(twice.slower, 0.9);
  EXPECT_THAT(expected_gain_text(twice), ::testing::HasSubstr(" % more time than the library's"));
}

TEST(Expectation, NothingIsSaidOfTheLibraryItself) {
  const Expectation same = of("optimal:leaves=auto", table(1, 0.02));
  EXPECT_EQ(same.versus_default, 0);
  EXPECT_EQ(expected_gain_text(same), "");
}

TEST(Expectation, NamesCommunicatorSizesThatNobodyMeasured) {
  const Expectation half = of("optimal:leaves=auto", table(0.5, 0.01, 2));
  ASSERT_FALSE(half.worth.empty());
  for (const WorthMeasuring& one : half.worth) {
    EXPECT_NE(one.communicator_size, 4U);
    EXPECT_NE(one.communicator_size, 64U);
    EXPECT_GE(one.saving, 0.02);
  }
  EXPECT_THAT(worth_measuring_text(half),
              ::testing::MatchesRegex("worth measuring, by what may be saved there: communicator "
                                      "sizes [0-9]+ [(].* %[)], .*"));
  EXPECT_EQ(worth_measuring_text({}), "");
}

}  // namespace
}  // namespace colltree::model
