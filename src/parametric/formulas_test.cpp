// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/formulas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coll/catalogue.h"
#include "parametric/test_network.h"

namespace colltree {
namespace {

double us(Collective collective, const std::string& method, std::uint64_t segment,
          std::uint64_t ranks, std::uint64_t bytes) {
  return expected_us(kTestNetwork, parse_method_name(method, segment), {collective, ranks, bytes})
      .value();
}

// By hand, from what docs/algorithms.md says of the schedule: M(m) = 100 + m a message, g(m) = 7 +
// m the next one, f(m) = m / 10.
TEST(Formulas, ByHand) {
  using enum Collective;
  struct Case {
    Collective collective;
    const char* method;
    std::uint64_t segment, ranks, bytes;
    double us;
  };
  const Case cases[] = {
      {kBcast, "linear", 0, 5, 10, 110 + 3 * 17},
      // Root: to 4 (a subtree of 2), 2 (of 2), 1; the longest way is 2's second send or 4's.
      {kBcast, "binomial", 0, 4, 10, 110 + 110},
      {kBcast, "binomial", 0, 6, 10, 30 + 110 + 110},
      {kBcast, "binomial", 0, 8, 10, 110 + 110 + 110},
      {kBcast, "binary", 0, 3, 10, 30 + 110},
      {kBcast, "binary", 0, 7, 10, 30 + 110 + 30 + 110},
      {kBcast, "pipeline", 0, 4, 10, 3 * 110},
      // Segments of 10, 10 and 5: the last rank has the second after 30 + 3 * 110 us.
      {kBcast, "pipeline", 10, 4, 25, 30 + 3 * 110 + 25},
      {kBcast, "binary", 10, 3, 25, 2 * 2 * 30 + 25 + 105},
      // Three sends to one level overlap: a third of 30 us is less than the gap of 17.
      {kBcast, "knomial", 0, 4, 10, 2 * 17 + 110},
      {kBcast, "knomial@requests=1", 0, 4, 10, 2 * 30 + 110},
      {kBcast, "split_binary", 0, 3, 20, 30 + 110 + 110},
      {kBcast, "scatter_allgather", 0, 4, 40, (120 + 110) + (120 + 110)},
      {kBcast, "scatter_allgather_ring", 0, 3, 30, std::max(110.0 + 0, 30 + 110.0) + 2 * 110},
      {kReduce, "linear", 0, 5, 10, 110 + 3 * 19 + 1},
      {kReduce, "binomial", 0, 4, 10, 2 * 111},
      {kReduce, "binary", 0, 3, 10, 110 + 19 + 1},
      {kReduce, "pipeline", 0, 4, 10, 3 * 111},
      {kReduce, "pipeline", 10, 4, 20, 31 + 3 * 111},
      {kReduce, "in_order_binary", 0, 3, 10, 110 + 19 + 1 + 110},
      {kReduce, "rabenseifner", 0, 4, 40, 2 * (120 + 110) + 3},
      {kReduce, "butterfly", 0, 4, 40, 2 * (120 + 110) + 3},
      {kReduce, "rabenseifner", 0, 5, 40, 140 + 4 + 2 * (120 + 110) + 3},
      {kAllreduce, "reduce_bcast", 0, 4, 10, 2 * 111 + 2 * 110},
      {kAllreduce, "recursive_doubling", 0, 8, 10, 3 * 111},
      {kAllreduce, "recursive_doubling", 0, 5, 10, 2 * 111 + 111 + 110},
      // Four at once: two more arrivals and three folds; 5 ranks: one joins.
      {kAllreduce, "recursive_multiplying", 0, 4, 10, 110 + 2 * 19 + 3 * 1},
      {kAllreduce, "recursive_multiplying", 0, 6, 10, (110 + 19 + 2) + 111},
      {kAllreduce, "recursive_multiplying", 0, 5, 10, (110 + 2 * 19 + 3) + 111 + 110},
      {kAllreduce, "ring", 0, 4, 40, 3 * 111 + 3 * 110},
      {kAllreduce, "segmented_ring", 10, 4, 80, 3 * (111 + 17) + 3 * 120},
      {kAllreduce, "circulant", 0, 5, 50, (122 + 111 + 111) + (110 + 110 + 120)},
      {kReduceScatterBlock, "circulant", 0, 5, 10, 122 + 111 + 111},
      {kBcast, "circulant", 0, 5, 40, 3 * 140},
      {kBcast, "circulant", 10, 5, 40, 6 * 110},
      {kReduce, "circulant", 10, 5, 40, 6 * 111},
      // Halves of 20, or two segments of 10 each, between the root and trees over the others.
      {kBcast, "dual_tree", 0, 4, 40, 27 + 120 + 27 + 120},
      {kBcast, "dual_tree", 10, 4, 40, 2 * 17 + 17 + 110 + 17 + 110},
      {kReduce, "dual_tree", 0, 4, 40, 29 + 122 + (120 + 29 + 2)},
      {kReduce, "dual_tree", 10, 3, 40, 2 * 19 + 111 + (110 + 19 + 1)},
      {kAllreduce, "dual_tree", 0, 3, 40, (120 + 29 + 2) + (27 + 120)},
      // Trees of three ranks; of two segments.
      {kAllreduce, "dual_root", 0, 6, 40, 2 * 144 + 144 + 2 * 140},
      {kAllreduce, "dual_root", 20, 4, 40, 122 + 122 + 120 + (3 * 120 + 2 * 2)},
      // Exchanges of three and two; four of five, which one joins.
      {kAllgather, "recursive_multiplying@radix=3", 0, 6, 10, (110 + 19) + 130},
      {kAllgather, "recursive_multiplying", 0, 5, 10, 110 + 150 + (112.5 + 2 * 21.5)},
      {kReduceScatterBlock, "recursive_multiplying@radix=3", 0, 6, 10, 133 + (110 + 19 + 2)},
      {kReduceScatterBlock, "recursive_multiplying", 0, 5, 10,
       155 + 110 + (112.5 + 2 * 21.5 + 3 * 1.25)},
      {kAllgather, "ring", 0, 5, 10, 4 * 110},
      {kAllgather, "recursive_doubling", 0, 8, 10, 110 + 120 + 140},
      {kAllgather, "recursive_doubling", 0, 5, 10, 110 + 120 + 110},  // runs as bruck
      {kAllgather, "bruck@radix=4", 0, 5, 10, 110 + 17 + 17 + 110},
      {kAllgather, "neighbor_exchange", 0, 6, 10, 110 + 2 * 120},
      {kAllgather, "gather_bcast", 0, 4, 10, (110 + 120) + 2 * 140},
      {kGather, "linear", 0, 5, 10, 110 + 3 * 19},
      {kGather, "binomial", 0, 4, 10, 110 + 120},
      {kGather, "knomial", 0, 4, 10, 110 + 2 * 19},
      {kGather, "knomial@radix=3", 0, 9, 10, (110 + 19) + (130 + 39)},
      {kGather, "linear_sync", 0, 3, 10, 100 + 110 + 20},
      {kGather, "linear_sync", 10, 3, 30, 210 + 210 + 29},
      {kScatter, "linear", 0, 5, 10, 110 + 3 * 17},
      {kScatter, "binomial", 0, 4, 10, 120 + 110},
      {kScatter, "knomial", 0, 4, 10, 2 * 30 + 110},
      {kScatter, "linear_sync", 0, 3, 10, 100 + 110 + 17},
      {kScatter, "linear_sync", 10, 3, 30, 109 + 120 + 27},
      {kReduceScatter, "reduce_scatterv", 0, 4, 40, 2 * 144 + 110 + 2 * 17},
      {kReduceScatter, "pairwise", 0, 4, 40, 3 * 111},
      {kReduceScatterBlock, "ring", 0, 4, 10, 3 * 111},
      {kReduceScatterBlock, "recursive_halving", 0, 4, 10, 122 + 111},
      {kReduceScatterBlock, "butterfly", 0, 4, 10, 122 + 111 + 110},
      {kScan, "linear", 0, 4, 10, 3 * 111},
      {kExscan, "linear", 0, 4, 10, 3 * 110 + 2},
      {kScan, "recursive_doubling", 0, 5, 10, 3 * 111 + 2},
      {kScan, "binomial", 0, 7, 10, 4 * 111},  // 4 after two, 6 from it, 7 from that
      {kScan, "binomial", 0, 8, 10, 4 * 111},
      {kBarrier, "dissemination", 0, 5, 0, 3 * 100},
      {kBarrier, "dissemination@radix=4", 0, 16, 0, 2 * (100 + 2 * 7)},
      {kBarrier, "recursive_doubling", 0, 5, 0, 4 * 100},
      {kBarrier, "double_ring", 0, 5, 0, 10 * 100},
      {kBarrier, "tree", 0, 4, 0, 2 * 100 + 2 * 100},
      {kAlltoall, "ring", 0, 5, 10, 4 * 110},
      {kAlltoall, "linear", 0, 5, 10, 110 + 3 * 27.5},
      {kAlltoall, "linear@requests=2", 0, 5, 10, 110 + 3 * 55},
      {kAlltoall, "bruck", 0, 5, 10, 120 + 120 + 110},
      {kAlltoall, "bruck@radix=4", 0, 6, 10, 120 + 17 + 17 + 120},
  };
  for (const Case& c : cases) {
    EXPECT_NEAR(us(c.collective, c.method, c.segment, c.ranks, c.bytes), c.us, 1e-9)
        << name(c.collective) << " " << c.method << "_" << c.segment << " at " << c.ranks << " x "
        << c.bytes;
  }
}

// On two nodes of four: a part across the two, a part among the four.
TEST(Formulas, WithNodesByHand) {
  using enum Collective;
  const auto on_nodes = [](Collective collective, const char* method) {
    return expected_us(kTestNetwork, parse_method_name(method, 0), {collective, 8, 10, 2, 4})
        .value();
  };
  EXPECT_NEAR(on_nodes(kBcast, "hierarchical"), 110 + 2 * 110, 1e-9);
  EXPECT_NEAR(on_nodes(kReduce, "hierarchical"), 111 + 2 * 111, 1e-9);
  EXPECT_NEAR(on_nodes(kAllreduce, "hierarchical"), 2 * 111 + 111 + 2 * 110, 1e-9);
  EXPECT_NEAR(on_nodes(kAllreduce, "multi_leader"), (105.5 + 102.75) + 102.75 + (102.5 + 105),
              1e-9);
  EXPECT_NEAR(on_nodes(kBcast, "multi_leader"), (102.5 + 2 * 9.5) + 102.5 + (102.5 + 105), 1e-9);
  EXPECT_NEAR(on_nodes(kReduce, "multi_leader"), (105.5 + 102.75) + 102.75 + (102.5 + 2 * 11.5),
              1e-9);
  EXPECT_NEAR(on_nodes(kBcast, "multi_leader@fanout=2"), 105 + 105 + (102.5 + 105), 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoallv, "locality"), 132 + 140 + 3 * 120, 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoallv, "hierarchical"),
              (228 + 2 * 137) + (180 + 2 * 89) + 260 + (180 + 2 * 87), 1e-9);
  EXPECT_NEAR(on_nodes(kBarrier, "hierarchical"), 4 * 100 + 100, 1e-9);
  EXPECT_NEAR(on_nodes(kAllgather, "locality"), 110 + (120 + 140), 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoall, "locality"), 140 + 3 * 120, 1e-9);
  // Two leaders, of two ranks each.
  EXPECT_NEAR(on_nodes(kAllgather, "locality@fanout=2"), 110 + 120 + (120 + 140), 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoall, "locality@fanout=2"), 180 + 180 + 3 * 140, 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoallv, "locality@fanout=2"), (164 + 164) + 180 + 180 + 3 * 140, 1e-9);
  EXPECT_NEAR(on_nodes(kAlltoall, "hierarchical"), (180 + 2 * 89) + 260 + (180 + 2 * 87), 1e-9);
  EXPECT_EQ(expected_us(kTestNetwork, {"hierarchical", 0}, {kBcast, 8, 10, 8, 1}),
            expected_us(kTestNetwork, {"binomial", 0}, {kBcast, 8, 10}));
}

// Every row has a formula (else nothing links), whose time is finite, no less than a message's, and
// grows with the message.
TEST(Formulas, EveryRowOfTheCatalogue) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    for (const std::uint64_t ranks : {2, 3, 4, 5, 8, 13, 64, 1000, 1 << 20}) {
      double before = 0;
      for (const std::uint64_t bytes : {1, 1000, 30000, 1 << 20, 1 << 28}) {
        const Method method{std::string(info.algorithm), info.segmented() ? 8192 : 0};
        const auto time = expected_us(kTestNetwork, method, {info.collective, ranks, bytes});
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

TEST(LeastExpected, IsTheFirstWhereNoneHasAFormula) {
  const std::vector<Method> methods = {library_default(), {"linear", 0}, {"binomial", 0}};
  const Instance at{Collective::kBcast, 32, 20000};
  EXPECT_EQ(least_expected(kTestNetwork, methods, at), methods[2]);
  EXPECT_EQ(least_expected(kTestNetwork, std::span(methods).first(1), at), methods[0]);
}

}  // namespace
}  // namespace colltree
