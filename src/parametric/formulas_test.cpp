// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/formulas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coll/catalogue.h"
#include "parametric/test_network.h"

namespace colltree {
namespace {

// A formula's time is finite, no less than a message's, and grows with the message. That it is the
// schedule's is shown by tests/schedules (schedule_check costs).
TEST(Formulas, EveryRowOfTheCatalogue) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    for (const std::uint64_t ranks : {2, 3, 4, 5, 8, 13, 64, 1000, 1 << 20}) {
      double before = 0;
      for (const std::uint64_t bytes : {1, 1000, 30000, 1 << 20, 1 << 28}) {
        const Method method{std::string(info.algorithm), info.segmented() ? 8192 : 0};
        const auto time = expected_us(kTestNetwork, method, {info.collective, ranks, bytes});
        if (!has_formula(info.collective, method)) continue;
        ASSERT_TRUE(time && std::isfinite(*time) && *time >= 100)
            << name(info.collective) << " " << info.algorithm << " on " << ranks;
        // Where the algorithm is another one for short messages there may be a step.
        if (can_run(info, {info.collective, ranks, 1}, 0) && !info.segmented() && bytes > 1) {
          EXPECT_GE(*time, before) << name(info.collective) << " " << info.algorithm;
        }
        before = *time;
      }
    }
  }
}

TEST(Formulas, WhatHasNone) {
  const Instance at{Collective::kBcast, 8, 1024};
  EXPECT_FALSE(expected_us(kTestNetwork, library_default(), at));
  EXPECT_FALSE(expected_us(kTestNetwork, {"chain", 0, {.fanout = 4}}, at));
  EXPECT_FALSE(expected_us(kTestNetwork, {"linear", 0, {.radix = 4}}, at));
  EXPECT_EQ(expected_us(kTestNetwork, {"linear", 0}, {Collective::kBcast, 1, 1024}), 0);
  EXPECT_EQ(expected_us(kTestNetwork, {"basic_linear", std::nullopt}, at),
            expected_us(kTestNetwork, {"linear", 0}, at));
  EXPECT_FALSE(has_formula(Collective::kReduce, {"basic_linear", std::nullopt}));
}

// The model's own definition.
TEST(Network, AnswersAsLogGPSays) {
  const Network network{
      {.latency_us = 10, .overhead_us = 2, .gap_us = 3, .byte_gap_us_per_byte = 0.5}, 0.25};
  EXPECT_EQ(network.message_us(5), 16);
  EXPECT_EQ(network.message_us(0), 14);
  EXPECT_EQ(network.gap_us(5), 5);
  EXPECT_EQ(network.fold_us(8), 2);
}

}  // namespace
}  // namespace colltree
