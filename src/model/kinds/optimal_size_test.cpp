// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "model/fitter.h"
#include "model/test_models.h"

namespace colltree::model {
namespace {

using testing::pick;
using testing::Random;

// Two methods on a line of 24 communicator sizes x 6 message sizes; linear is better above 12
// ranks, and `noise` of the time is drawn for each cell.
Timings two_regions(double noise) {
  Random random(6);
  Timings timings;
  timings.system = "two";
  timings.provenance = "simulated";
  timings.methods = {{"binomial", 0}, {"linear", 0}};
  for (std::uint64_t ranks = 2; ranks <= 25; ++ranks) {
    for (std::uint64_t bytes = 1; bytes <= 1 << 10; bytes *= 4) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const auto time = [&](bool best) {
        return (best ? 10 : 20) * (1 + noise * static_cast<double>(pick(random, 0, 100)) / 100);
      };
      timings.time_us.push_back(time(ranks <= 12));
      timings.time_us.push_back(time(ranks > 12));
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

TEST(ChooseSize, TakesWhatHoldsOnPointsLeftOut) {
  const Fitter fitter = parse_fitter("optimal:leaves=auto");
  const auto model = fitter.fit({two_regions(0)});
  EXPECT_EQ(model.statistics.shape.leaves, 2);
  EXPECT_EQ(fitter_of(model).name(), fitter.name());
  EXPECT_EQ(fitter_of(model).fit({two_regions(0)}).rules, model.rules);
  // So much noise that the other method is sometimes the better one: leaves for these points gain
  // nothing elsewhere.
  const std::vector<Timings> noisy = {two_regions(1.5)};
  EXPECT_GT(parse_fitter("optimal:leaves=64").fit(noisy).statistics.shape.leaves, 8);
  const auto chosen = fitter.fit(noisy);
  EXPECT_LE(chosen.statistics.shape.leaves, 5);
  const SizeChoice choice = *chosen.statistics.size_choice;
  EXPECT_EQ(choice.chosen, chosen.statistics.shape.leaves);
  EXPECT_GE(choice.held_out.size(), 2U);
}

// From the usual size, 1.5 log2(144) = 11 leaves: 8 of those there are, towards the best one as
// long as that is more than a standard error better.
void expect_nearest_to_usual(const SizeChoice& choice) {
  const JudgedSize& best = *std::ranges::find(choice.held_out, choice.best, &JudgedSize::leaves);
  EXPECT_EQ(best.standard_error, 0);
  for (const JudgedSize& size : choice.held_out) {
    EXPECT_LE(best.mean, size.mean);
    const bool as_good = size.mean - best.mean <= size.standard_error;
    if (size.leaves == choice.chosen) {
      EXPECT_TRUE(as_good);
    }
    const auto passed = [&](std::uint64_t usual) {
      return usual < choice.chosen ? size.leaves >= usual && size.leaves < choice.chosen
                                   : size.leaves <= usual && size.leaves > choice.chosen;
    };
    if (passed(8)) {
      EXPECT_FALSE(as_good) << size.leaves;
    }
  }
}

TEST(ChooseSize, GoesFromTheUsualSizeTowardsTheBest) {
  const std::vector<std::size_t> sizes = {1, 2, 3, 5, 8, 13, 21};
  for (const double noise : {1.2, 1.5, 1.8}) {
    const std::vector<Timings> timings = {two_regions(noise)};
    const SizeChoice choice = choose_size(timings, search_sizes(timings, {.leaves = 21}), sizes);
    ASSERT_EQ(choice.held_out.size(), sizes.size());
    EXPECT_LT(choice.best, 8U);
    expect_nearest_to_usual(choice);
  }
  // Without noise every size from 2 leaves on is the best: nothing speaks against the usual one.
  const std::vector<Timings> quiet = {two_regions(0)};
  const SizeChoice choice = choose_size(quiet, search_sizes(quiet, {.leaves = 21}), sizes);
  EXPECT_EQ(choice.best, 2U);
  EXPECT_EQ(choice.chosen, 8U);
}

TEST(ChooseSize, OneCellOneLineOneMethod) {
  Timings cell = two_regions(0);
  cell = select_instances(cell, std::vector<std::size_t>{0});
  const Fitter fitter = parse_fitter("optimal:leaves=auto");
  EXPECT_EQ(fitter.fit({cell}).statistics.shape.leaves, 1);
  Timings line = select_instances(two_regions(0), std::vector<std::size_t>{0, 6, 12, 120, 126});
  EXPECT_EQ(fitter.fit({line}).statistics.shape.leaves, 2);
  Timings one_method = two_regions(1);
  one_method.methods.pop_back();
  Times first;
  for (std::size_t i = 0; i < one_method.instances.size(); ++i)
    first.push_back(one_method.time_us[2 * i]);
  one_method.time_us = first;
  EXPECT_EQ(fitter.fit({one_method}).statistics.shape.leaves, 1);
}

TEST(ChooseSize, NeverFewerLeavesThanCanRunEverywhere) {
  Timings timings = two_regions(0);  // only linear runs up to 4 ranks, only binomial above 20
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::uint64_t ranks = timings.instances[i].communicator_size;
    if (ranks <= 4) timings.time_us.set(2 * i, kNoTime);
    if (ranks > 20) timings.time_us.set(2 * i + 1, kNoTime);
  }
  const auto model = parse_fitter("optimal:leaves=auto").fit({timings});
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    EXPECT_FALSE(timings.time_of(i, model.decide(timings.instances[i])).is_impossible());
  }
}

}  // namespace
}  // namespace colltree::model
