// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/turns.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace colltree::deploy {
namespace {

// Runs that take made-up times, by a clock that they move.
struct MadeRuns {
  std::vector<double> factors_of_b = {1.0};  // by pair, the last again
  double a_s = 10;
  std::size_t fails_at = 1000;  // the run that throws
  double clock_s = 0;
  std::string order;
  std::vector<evaluate::ProgramPair> pairs;

  evaluate::ProgramRun run(std::size_t command) {
    if (order.size() == fails_at) throw Error("it failed");
    const std::size_t pair = std::min(order.size() / 2, factors_of_b.size() - 1);
    order += command == 0 ? 'A' : 'B';
    const double seconds = command == 0 ? a_s : a_s * factors_of_b[pair];
    clock_s += seconds;
    return {.whole_s = seconds};
  }

  void take(Turns turns = {}) {
    turns.run = [this](std::size_t command) { return run(command); };
    turns.now_s = [this] { return clock_s; };
    take_turns(turns, pairs);
  }
};

TEST(Turns, SixPairsInBalancedOrderWhereTheIntervalIsNarrow) {
  MadeRuns made;
  made.take();
  EXPECT_EQ(made.order, "ABBAABBAABBA");
}

TEST(Turns, GoOnWhileTheIntervalIsWide) {
  MadeRuns made;
  made.factors_of_b = {1.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  made.take({.half_width = 0.02, .budget_s = 1e6});
  EXPECT_EQ(made.pairs.size(), 9);  // then the outermost of the ratios do not count
}

TEST(Turns, BeginNoPairThatWouldPassTheBudget) {
  MadeRuns made;
  made.factors_of_b = {1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0};
  made.take({.budget_s = 99, .fewest_pairs = 1});
  EXPECT_EQ(made.pairs.size(), 3);  // 20, 30, 20 seconds: a fourth might take 30
  MadeRuns least;
  least.take({.budget_s = 1});
  EXPECT_EQ(least.pairs.size(), evaluate::kFewestPairs);
}

TEST(Turns, WhatWasMeasuredBeforeAFailureStays) {
  MadeRuns made;
  made.fails_at = 5;
  EXPECT_THROW(made.take(), Error);
  EXPECT_EQ(made.pairs.size(), 2);
}

}  // namespace
}  // namespace colltree::deploy
