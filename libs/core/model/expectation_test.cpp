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

Model model_of(const Timings& timings) {
  return parse_fitter("optimal:leaves=auto").fit({timings});
}

Model stating(Expectation expectation, bool weighted = false) {
  Model model{.weighted = weighted};
  model.statistics.expectation = std::move(expectation);
  return model;
}

TEST(Expectation, SaysWhatIsGainedAndRisked) {
  const Expectation half = *model_of(table(0.5, 0.01)).statistics.expectation;
  ASSERT_TRUE(half.versus_default);
  EXPECT_NEAR(*half.versus_default, -0.5, 0.05);
  EXPECT_LT(half.share_slower, 0.1);
  EXPECT_THAT(
      statements(
          stating({.versus_default = -0.25, .share_slower = 0.031, .session_deviation = 0.1})),
      ::testing::ElementsAre(
          "expected at all sizes, measured or not: 25 % less time than the library's own choice",
          "expected to be slower than it by more than 2 % at 3.1 % of the sizes (a method is "
          "assumed to differ by 10 % from day to day)"));
  EXPECT_THAT(statements(stating({.versus_default = 0.1, .session_measured = true}, true)),
              ::testing::ElementsAre(
                  "expected at all sizes of the mix: 10 % more time than the library's own choice",
                  ::testing::HasSubstr("(a method was seen to differ by 0 % from day to day)")));
}

TEST(Expectation, IsTheSameOfTheFitAndOfItsTree) {
  const Timings timings = table(0.5, 0.05, 2);
  const Model model = model_of(timings);
  const Expectation again = expectation_of(model.rules, {timings});
  EXPECT_DOUBLE_EQ(*again.versus_default, *model.statistics.expectation->versus_default);
  EXPECT_DOUBLE_EQ(again.share_slower, model.statistics.expectation->share_slower);
  EXPECT_EQ(again.worth.size(), model.statistics.expectation->worth.size());
}

TEST(Expectation, WhatTakesMoreTimeIsSaidToo) {
  const Expectation twice =
      expectation_of(one_leaf(Collective::kBcast, {"a", 0}), {table(2, 0.01)});
  EXPECT_NEAR(*twice.versus_default, 1, 0.2);
  EXPECT_GT(twice.share_slower, 0.9);
  EXPECT_THAT(statements(stating(twice)),
              ::testing::Contains(::testing::HasSubstr(" % more time than the library's")));
}

TEST(Expectation, NothingIsSaidOfTheLibraryItself) {
  const Model same = model_of(table(1, 0.01));
  EXPECT_EQ(same.statistics.expectation->versus_default, 0);
  EXPECT_THAT(statements(same), ::testing::Each(::testing::HasSubstr("nothing to choose")));
  EXPECT_THAT(statements(rules_model({}, one_leaf(Collective::kBcast, {"a", 0}))),
              ::testing::IsEmpty());
}

// One method is faster by half, or its job was.
TEST(Expectation, NothingIsPromisedOfWhatMayBeAJob) {
  Timings timings = table(0.5, 0.01);
  const auto said = [&] {
    const Model model = model_of(timings);
    EXPECT_EQ(to_json(model_from_json(to_json(model))), to_json(model));
    return statements(model);
  };
  EXPECT_THAT(said().front(), ::testing::HasSubstr("% less time than the library's own choice"));
  timings.jobs = Jobs::kNotKnown;
  EXPECT_THAT(said(), ::testing::ElementsAre(
                          "no gain is promised: each method may have been measured in a job of its "
                          "own, and how much jobs differ is not known (docs/tasks/fitting.md)"));
  timings.jobs = Jobs::kRepeated;
  timings.session_deviation = 0.3;
  EXPECT_THAT(said(), ::testing::ElementsAre(
                          "no gain is promised: jobs of one method were seen to differ by 30 %, "
                          "which may be all that tells the methods apart"));
  timings.session_deviation = 0.1;
  EXPECT_THAT(said().front(), ::testing::HasSubstr("% less time than the library's own choice"));
}

TEST(Expectation, NamesCommunicatorSizesThatNobodyMeasured) {
  const Model half = model_of(table(0.5, 0.01, 2));
  const Expectation& expectation = *half.statistics.expectation;
  ASSERT_FALSE(expectation.worth.empty());
  for (const WorthMeasuring& one : expectation.worth) {
    EXPECT_GT(one.communicator_size, 4U);
    EXPECT_LT(one.communicator_size, 64U) << "a machine may have no more ranks";
    EXPECT_GE(one.saving, 0.02);
  }
  EXPECT_THAT(statements(half).back(),
              ::testing::MatchesRegex("worth measuring, by what may be saved there: communicator "
                                      "sizes [0-9]+ [(].* %[)], .*"));
}

// The library's own choice and a method whose times are all noise, on 2 ranks.
TEST(Expectation, NamesNoSizeThatAMachineMayNotHave) {
  Timings timings = table(0.8, 0.3);
  timings.instances.resize(9);
  Times times;
  for (std::size_t i = 0; i < 18; ++i) times.push_back(timings.time_us.known_us()[i]);
  timings.time_us = times;
  for (Instance& at : timings.instances) at.communicator_size = 2;
  EXPECT_THAT(expectation_of(one_leaf(Collective::kBcast, {"a", 0}), {timings}).worth,
              ::testing::IsEmpty());
}

TEST(Expectation, IsOfTheSizesInUse) {
  const RuleTree always = one_leaf(Collective::kBcast, {"a", 0});
  const Timings timings = table(0.5, 0.01, 2);
  EXPECT_LT(*expectation_of(always, {timings}, 4).versus_default,
            *expectation_of(always, {timings}, 64).versus_default);
  EXPECT_LT(*expectation_of(always, {timings}, 64).versus_default,
            *expectation_of(always, {timings}).versus_default);
}

}  // namespace
}  // namespace colltree::model
