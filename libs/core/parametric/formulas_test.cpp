// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/formulas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coll/catalogue.h"
#include "parametric/cost_call.h"
#include "parametric/test_network.h"

namespace colltree::parametric {

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

// Against a simulation of the schedule, rank by rank and segment by segment, on a network without
// contention. Positions of the subtree that begins at `top`, in preorder as in
// libs/mpi/algorithms/trees.h: the children from the last to the first. Their subtrees lie behind
// each other, adjacent child first.
class RelaySimulation {
 public:
  RelaySimulation(const CostTree& tree, std::uint64_t ranks, double bytes, double segment)
      : tree_(tree), pieces_(bytes, segment), arrived_(ranks) {
    for (int i = 0; i < static_cast<int>(pieces_.count); ++i) arrived_[0].push_back(0);
    relay(0, ranks);
  }
  double ends() const {
    double latest = 0;
    for (const auto& times : arrived_) latest = std::max(latest, times.back());
    return latest;
  }

 private:
  double length(std::size_t i) const {
    return i + 1 == static_cast<std::size_t>(pieces_.count) ? pieces_.last : pieces_.length;
  }
  void relay(std::size_t top, std::uint64_t size) {
    const auto children = tree_.children(size, tree_.radix);
    std::vector<std::size_t> position(children.size());
    std::size_t next = top + 1;
    for (std::size_t c = children.size(); c-- > 0;) {
      position[c] = next;
      next += children[c];
    }
    double free = 0;
    for (std::size_t i = 0; i < arrived_[top].size(); ++i) {
      free = std::max(free, arrived_[top][i]);
      for (const std::size_t child : position) {
        arrived_[child].push_back(free + kTestNetwork.message_us(length(i)));
        free += kTestNetwork.gap_us(length(i));
      }
    }
    for (std::size_t c = 0; c < children.size(); ++c) relay(position[c], children[c]);
  }

  CostTree tree_;
  Pieces pieces_;
  std::vector<std::vector<double>> arrived_;  // by position, by segment
};

const std::pair<const char*, CostTree> kTrees[] = {{"binomial", kBinomialTree},
                                                   {"binary", kBinaryTree},
                                                   {"chain", kChain},
                                                   {"knomial 4", {knomial_sizes, 4}},
                                                   {"knomial 7", {knomial_sizes, 7}}};

TEST(TreeCost, ChildrenMakeUpTheTree) {
  for (const auto& [name, tree] : kTrees) {
    for (std::uint64_t size = 1; size <= 300; ++size) {
      std::uint64_t sum = 1;
      for (const std::uint64_t child : tree.children(size, tree.radix)) sum += child;
      EXPECT_EQ(sum, size) << name;
    }
  }
}

// Unsegmented it is the schedule's very time; of segments it is an upper bound that is at most a
// tenth too high, because the busiest rank need not be the one on the longest way.
TEST(TreeCost, RelayAsTheScheduleGoes) {
  for (const auto& [name, tree] : kTrees) {
    for (const std::uint64_t ranks : {2, 3, 5, 8, 13, 16, 31, 64, 100}) {
      for (const double segment : {0.0, 50.0, 64.0, 300.0}) {
        const CostCall call{kTestNetwork, ranks, 1000, segment, 0, 0};
        const double formula = relay_us(call, tree, 1000);
        const double schedule = RelaySimulation(tree, ranks, 1000, segment).ends();
        const auto what =
            std::string(name) + " on " + std::to_string(ranks) + " by " + std::to_string(segment);
        if (segment == 0) {
          EXPECT_NEAR(formula, schedule, 1e-6) << what;
        } else {
          EXPECT_GE(formula, schedule - 1e-6) << what;
          EXPECT_LE(formula, 1.1 * schedule) << what;
        }
      }
    }
  }
}

}  // namespace

}  // namespace colltree::parametric
