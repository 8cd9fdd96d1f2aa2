// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/beyond.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace colltree {
namespace {

const Method kLinear{"linear", 0};
const Method kBinomial{"binomial", 0};

// Exactly Hockney's: linear wins on few ranks, binomial on many.
Timings hockney() {
  Timings timings{.system = "made-up", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {kLinear, kBinomial};
  for (const std::uint64_t ranks : {2U, 3U, 4U, 6U, 8U}) {
    for (const std::uint64_t bytes : {1U, 1024U, 65536U}) {
      const double message_us = 10 + 0.01 * static_cast<double>(bytes);
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.time_us.push_back(message_us * static_cast<double>(ranks - 1) * 0.3);
      timings.time_us.push_back(message_us * std::ceil(std::log2(static_cast<double>(ranks))));
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

RuleTree always_linear() {
  RuleTree tree;
  append_leaf(tree, index_of_method(tree, kLinear));
  tree.roots = {{Collective::kBcast, 0}};
  return tree;
}

TEST(Beyond, NearestLeavesTheTreeAlone) {
  RuleTree tree = always_linear();
  EXPECT_FALSE(extend_beyond(tree, hockney(), {}, parse_beyond("nearest")));
  EXPECT_EQ(tree, always_linear());
}

TEST(Beyond, DefaultAboveTheMostMeasuredRanksOnly) {
  RuleTree tree = always_linear();
  EXPECT_FALSE(extend_beyond(tree, hockney(), {}, parse_beyond("default")));
  validate(tree);
  EXPECT_EQ(decide(tree, {Collective::kBcast, 8, 1}), kLinear);
  EXPECT_EQ(decide(tree, {Collective::kBcast, 9, 1}), library_default());
  EXPECT_EQ(decide(tree, {Collective::kBcast, 4096, 1U << 30}), library_default());
}

TEST(Beyond, PredictedFindsWhatOnlyMoreRanksShow) {
  RuleTree tree = always_linear();
  const auto said = extend_beyond(tree, hockney(), {}, parse_beyond("predicted:512"));
  ASSERT_TRUE(said);
  validate(tree);
  EXPECT_EQ(decide(tree, {Collective::kBcast, 8, 1024}), kLinear);
  EXPECT_EQ(decide(tree, {Collective::kBcast, 256, 1024}), kBinomial);
  EXPECT_EQ(decide(tree, {Collective::kBcast, 4096, 1024}), kBinomial);
  EXPECT_EQ(said->measured_ranks, 8U);
  EXPECT_EQ(said->most_ranks, 512U);
  EXPECT_EQ(said->network, "hockney-fitted");
  EXPECT_GE(said->interval_factor, 1);
  EXPECT_GT(said->penalty_of_nearest, 1);
}

TEST(Beyond, ByLogGPWhereItsParametersAreKnown) {
  RuleTree tree = always_linear();
  const std::vector<Timings> all = {hockney()};
  const auto said = extend_beyond(tree, all.front(), all, parse_beyond("predicted:64"));
  EXPECT_EQ(said->network, "loggp");
  EXPECT_EQ(decide(tree, {Collective::kBcast, 64, 1024}), kBinomial);
}

std::string error_of_beyond(const char* text) {
  try {
    RuleTree tree = always_linear();
    static_cast<void>(extend_beyond(tree, hockney(), {}, parse_beyond(text)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Beyond, WhatIsWrong) {
  EXPECT_EQ(error_of_beyond("far"),
            "--beyond: expected nearest, default or predicted:RANKS, got 'far'");
  EXPECT_EQ(error_of_beyond("predicted:x"),
            "--beyond predicted: expected a whole number from 2 to 16777216, got 'x'");
  EXPECT_EQ(error_of_beyond("predicted:8"),
            "--beyond predicted:8: 8 ranks are measured; give more");
}

TEST(Beyond, NoMethodWithAFormula) {
  Timings timings = hockney();
  timings.methods = {{"their own", 0}, {"another", 0}};
  RuleTree tree = always_linear();
  try {
    extend_beyond(tree, timings, {}, parse_beyond("predicted:64"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--beyond predicted: no measured method of bcast has a formula; give nearest or "
                 "default");
  }
}

}  // namespace
}  // namespace colltree
