// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/beyond.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/test_scratch.h"

namespace colltree::deploy {
namespace {

const Method kLinear{"linear", 0};
const Method kBinomial{"binomial", 0};
const std::string kProfile = "p.db";

// Linear wins on few ranks, binomial on many.
Timings bcast_times() {
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

model::RuleTree always_linear() {
  model::RuleTree tree;
  model::append_leaf(tree, model::index_of_method(tree.methods, kLinear));
  tree.roots = {{Collective::kBcast, 0}};
  return tree;
}

TEST(Beyond, NearestLeavesTheTreeAlone) {
  model::RuleTree tree = always_linear();
  EXPECT_FALSE(extend_beyond(tree, bcast_times(), {}, parse_beyond("nearest"), kProfile));
  EXPECT_EQ(tree, always_linear());
}

TEST(Beyond, DefaultAboveTheMostMeasuredRanksOnly) {
  model::RuleTree tree = always_linear();
  EXPECT_FALSE(extend_beyond(tree, bcast_times(), {}, parse_beyond("default"), kProfile));
  model::validate(tree);
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 8, 1}), kLinear);
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 9, 1}), library_default());
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 4096, 1U << 30}), library_default());
}

TEST(Beyond, PredictedFindsWhatOnlyMoreRanksShow) {
  model::RuleTree tree = always_linear();
  const std::vector<Timings> all = {bcast_times()};
  const auto said = extend_beyond(tree, all.front(), all, parse_beyond("predicted:512"), kProfile);
  ASSERT_TRUE(said);
  model::validate(tree);
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 8, 1024}), kLinear);
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 256, 1024}), kBinomial);
  EXPECT_EQ(model::decide(tree, {Collective::kBcast, 4096, 1024}), kBinomial);
  EXPECT_EQ(said->measured_ranks, 8U);
  EXPECT_EQ(said->most_ranks, 512U);
  EXPECT_GE(said->interval_factor, 1);
  EXPECT_GT(said->penalty_of_nearest, 1);
}

// Where no parameters can be known the campaign that tells them is named.
TEST(Beyond, NeedsTheTimesOfMessages) {
  model::RuleTree tree = always_linear();
  try {
    extend_beyond(tree, bcast_times(), {}, parse_beyond("predicted:64"), kProfile);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 62),
              "p.db: made-up has no times of bcast linear at two communicator");
  }
}

std::string refusal(const char* text, const MeasuredMethods& methods) {
  return error_of([&] { require_possible(parse_beyond(text), 8, methods); });
}

TEST(Beyond, WhatIsWrong) {
  using enum Collective;
  const MeasuredMethods bcast = {{kBcast, {kLinear, kBinomial}}};
  EXPECT_EQ(refusal("predicted:64", bcast), "no error");
  EXPECT_EQ(refusal("far", bcast),
            "--beyond: expected nearest, default or predicted:RANKS, got 'far'");
  EXPECT_EQ(refusal("predicted:x", bcast),
            "--beyond predicted: expected a whole number from 2 to 16777216, got 'x'");
  EXPECT_EQ(refusal("predicted:8", bcast), "--beyond predicted:8: 8 ranks are measured; give more");
  EXPECT_EQ(refusal("predicted:64", {{kBcast, {{"their own", 0}, {"another", 0}}}}),
            "--beyond predicted: no measured method of bcast has a formula; give nearest or "
            "default");
  EXPECT_EQ(refusal("predicted:64", {{kBcast, {kBinomial}}}),
            "--beyond predicted: the times of bcast linear, which give the cost of a message, are "
            "not measured; add them by --collective and --methods, or give nearest or default");
  EXPECT_EQ(refusal("predicted:64", {{kBcast, {kLinear}}, {kAllreduce, {{"ring", std::nullopt}}}}),
            "--beyond predicted: the times of reduce linear, which give the cost of a message, are "
            "not measured; add them by --collective and --methods, or give nearest or default");
  EXPECT_EQ(refusal("nearest", {{kBcast, {kBinomial}}}), "no error");
}

}  // namespace
}  // namespace colltree::deploy
