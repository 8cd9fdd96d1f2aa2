// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/verification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "timings/test_times.h"

namespace colltree::deploy {
namespace {

const Method kFast{"binomial", 0};
const std::vector<std::uint64_t> kSizes = {8, 64, 512, 4096, 32768};

// One row of five sizes on 4 ranks; measured with a placement, which plans do not ask for.
Timings five_sizes() {
  Timings timings{"here", "measured", Collective::kBcast, {kFast, library_default()}, {}, {}, {}};
  for (const std::uint64_t size : kSizes) {
    timings.instances.push_back({Collective::kBcast, 4, size, 1, 4});
    testing::append(timings.time_us, {10, 20});
    timings.default_us.push_back(20);
  }
  return timings;
}

// The default up to 8 bytes, then the fast one.
model::RuleTree fast_above_8() {
  model::RuleTree tree;
  tree.methods = {library_default(), kFast};
  const std::uint32_t root = model::append_test(tree, Attribute::kMessageSize, 8);
  tree.nodes[root].low = model::append_leaf(tree, 0);
  tree.nodes[root].high = model::append_leaf(tree, 1);
  tree.roots = {{Collective::kBcast, root}};
  return tree;
}

Instance at(std::uint64_t message_size) { return {Collective::kBcast, 4, message_size}; }

// Twelve rounds at each size above 8, of these gains, with a little noise.
RoundsOfPairs rounds_of(const std::vector<double>& gains) {
  RoundsOfPairs rounds;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    for (int round = 0; round < 12; ++round) {
      const double noise = 1 + 0.001 * ((round * 7) % 5 - 2);
      rounds[at(kSizes[i + 1])].push_back({10 * gains[i] * noise, 10});
    }
  }
  return rounds;
}

// The same gains in all rounds of a session, but in one of three sessions none.
TEST(Verification, AGainOfOneDayGoesBackWhereSessionsDiffer) {
  RoundsOfPairs rounds = rounds_of({1.5, 1.5, 1.5, 1.5});
  for (auto& [at, of_instance] : rounds) {
    for (std::size_t i = 8; i < 12; ++i) of_instance[i].default_us /= 1.45;
  }
  EXPECT_FALSE(verify_regions(fast_above_8(), five_sizes(), rounds).changed());
  for (auto& [at, of_instance] : rounds) {
    for (std::size_t i = 0; i < 12; ++i) of_instance[i].session = i / 4;
  }
  const Verification judged = verify_regions(fast_above_8(), five_sizes(), rounds);
  EXPECT_EQ(judged.regions.front().verdict, Verdict::kDropped);
  EXPECT_LT(judged.regions.front().gain.interval.low, 1);
}

std::vector<std::string> decisions(const model::RuleTree& tree) {
  std::vector<std::string> decisions;
  for (const std::uint64_t size : kSizes)
    decisions.push_back(model::decide(tree, at(size)).label());
  return decisions;
}

TEST(Verification, LooksOnlyWhereTheLibraryIsNotLeftAlone) {
  const auto instances = instances_to_verify(fast_above_8(), five_sizes(), 100);
  EXPECT_EQ(instances, (std::vector<Instance>{at(64), at(512), at(4096), at(32768)}));
}

TEST(Verification, CallsThatRulesLeaveAloneAreWeighedToo) {
  EXPECT_EQ(instances_left_alone(fast_above_8(), five_sizes()), std::vector<Instance>{at(8)});
  EXPECT_TRUE(
      instances_left_alone(model::one_leaf(Collective::kBcast, library_default()), five_sizes())
          .empty());
  RoundsOfPairs rounds = rounds_of({1.01, 1.01, 1.01, 1.01});
  for (const double gain : {1.0, 0.97, 0.9}) {
    rounds[at(8)].clear();
    for (int round = 0; round < 12; ++round) rounds[at(8)].push_back({10 * gain, 10});
    const Verification verified = verify_regions(fast_above_8(), five_sizes(), rounds);
    ASSERT_EQ(verified.regions.size(), 2U);
    EXPECT_EQ(verified.regions.back().verdict, Verdict::kAlone);
    EXPECT_EQ(verified.regions.front().verdict, gain == 0.9 ? Verdict::kDropped : Verdict::kKept)
        << "four rows gain 1 % each, one loses " << 1 - gain;
    EXPECT_EQ(model::decide(verified.tree, at(64)), gain == 0.9 ? library_default() : kFast);
    EXPECT_EQ(verified.changed(), gain == 0.9);
  }
}

// From 5 to 7 ranks another leaf than at the measured 4 and 8.
TEST(Verification, LooksBetweenTheMeasuredSizesToo) {
  Timings timings{"here", "measured", Collective::kBcast, {kFast, library_default()}, {}, {}, {}};
  for (const std::uint64_t ranks : {4, 8}) {
    timings.instances.push_back({Collective::kBcast, ranks, 8, 1, ranks});
    testing::append(timings.time_us, {20, 20});
    timings.default_us.push_back(20);
  }
  model::RuleTree tree;
  tree.methods = {library_default(), kFast};
  const std::uint32_t root = model::append_test(tree, Attribute::kCommunicatorSize, 4);
  const std::uint32_t above = model::append_test(tree, Attribute::kCommunicatorSize, 7);
  tree.nodes[root].low = model::append_leaf(tree, 0);
  tree.nodes[root].high = above;
  tree.nodes[above].low = model::append_leaf(tree, 1);
  tree.nodes[above].high = model::append_leaf(tree, 0);
  tree.roots = {{Collective::kBcast, root}};
  const Instance between{Collective::kBcast, 5, 8};
  EXPECT_EQ(instances_to_verify(tree, timings, 100), std::vector<Instance>{between});
  for (const double gain : {2.0, 0.5}) {
    RoundsOfPairs rounds;
    for (int round = 0; round < 12; ++round)
      rounds[between].push_back({10 * gain * (1 + 0.001 * ((round * 7) % 5 - 2)), 10});
    const Verification verified = verify_regions(tree, timings, rounds);
    EXPECT_EQ(model::decide(verified.tree, between), gain > 1 ? kFast : library_default());
  }
  EXPECT_EQ(model::decide(verify_regions(tree, timings, {}).tree, between), library_default());
}

// Measured on 4 ranks of one node; 9 to 30 bytes lie between the measured sizes and have a leaf.
TEST(Verification, AsksForWhatWasMeasuredAsItWasMeasured) {
  model::RuleTree tree = fast_above_8();
  const std::uint32_t between = model::append_test(tree, Attribute::kMessageSize, 30);
  tree.nodes[between].low = model::append_leaf(tree, 1);
  tree.nodes[between].high = tree.nodes[tree.roots.front().node].high;
  tree.nodes[tree.roots.front().node].high = between;
  EXPECT_EQ(instances_to_verify(tree, five_sizes(), 100),
            (std::vector<Instance>{at(64), at(512), at(4096), at(32768), at(9)}));
}

TEST(Verification, LooksFirstWhereLeastAndMostIsPromisedThenAtTheEnds) {
  Timings timings = five_sizes();
  timings.default_us.set(2, 11);  // 512 bytes: hardly faster
  timings.default_us.set(3, 90);
  const auto instances = instances_to_verify(fast_above_8(), timings, 1);
  EXPECT_EQ(instances, (std::vector<Instance>{at(64), at(512), at(4096)}));
}

TEST(Verification, LooksMoreOftenWhereMoreIsPromised) {
  model::RuleTree tree = fast_above_8();
  const std::uint32_t leaf = model::leaf_from(tree, 0, at(4096));
  tree.nodes[leaf] = {.attribute = Attribute::kCommunicatorSize, .threshold = 4};
  tree.nodes[leaf].low = model::append_leaf(tree, 1);
  tree.nodes[leaf].high = model::append_leaf(tree, 1);
  Timings timings{"here", "measured", Collective::kBcast, {kFast, library_default()}, {}, {}, {}};
  for (const std::uint64_t ranks : {4, 8}) {
    for (std::uint64_t size = 16; size < 16 + 40; ++size) {
      timings.instances.push_back({Collective::kBcast, ranks, size});
      testing::append(timings.time_us, {10, ranks == 4 ? 11.0 : 60.0});
      timings.default_us.push_back(timings.time_us[timings.time_us.size() - 1]);
    }
  }
  const auto instances = instances_to_verify(tree, timings, 20);
  EXPECT_EQ(std::ranges::count(instances, 4U, &Instance::communicator_size), 3);
  EXPECT_EQ(std::ranges::count(instances, 8U, &Instance::communicator_size), 19);
}

// 30 calls of 450 us and 50 us before each, with and without the method, in 12 rounds: 0.36 s.
TEST(Verification, LooksAtAsManyInstancesAsTheBudgetHasTimeFor) {
  Timings timings = five_sizes();
  for (std::size_t i = 0; i < kSizes.size(); ++i) timings.default_us.set(i, 450);
  timings.default_us.set(0, kNoTime);
  EXPECT_EQ(instances_in_time(timings, 3.7, 1), 10U);
  EXPECT_EQ(instances_in_time(timings, 7.3, 1), 20U);
  EXPECT_EQ(instances_in_time(timings, 0.37, 0.0015), 10U) << "calls end sooner";
  EXPECT_EQ(instances_in_time(timings, 0.01, 1), 1U);
  EXPECT_EQ(instances_in_time(timings, 1000, 1), kVerifiedInstances);
}

TEST(Verification, KeepsWhatIsFaster) {
  const auto result = verify_regions(fast_above_8(), five_sizes(), rounds_of({2, 1.5, 1.1, 1.05}));
  EXPECT_FALSE(result.changed());
  EXPECT_EQ(result.tree, fast_above_8());
  ASSERT_EQ(result.regions.size(), 1U);
  EXPECT_EQ(result.regions[0].verdict, Verdict::kKept);
  EXPECT_EQ(result.regions[0].instances.size(), 4U);
  EXPECT_GT(result.regions[0].gain.interval.low, 1.3);
}

TEST(Verification, GivesBackWhatIsNot) {
  const auto result = verify_regions(fast_above_8(), five_sizes(), rounds_of({1, 0.9, 0.8, 1}));
  EXPECT_TRUE(result.changed());
  EXPECT_EQ(result.regions[0].verdict, Verdict::kDropped);
  EXPECT_EQ(decisions(result.tree), std::vector<std::string>(5, "default"));
}

TEST(Verification, GivesBackWhatCouldNotBeMeasured) {
  const auto result = verify_regions(fast_above_8(), five_sizes(), {});
  EXPECT_EQ(result.regions[0].verdict, Verdict::kDropped);
  EXPECT_TRUE(result.regions[0].instances.empty());
}

TEST(Verification, CutsARegionThatIsFasterInParts) {
  const auto result = verify_regions(fast_above_8(), five_sizes(), rounds_of({0.9, 3, 2, 0.8}));
  EXPECT_EQ(result.regions[0].verdict, Verdict::kCut);
  EXPECT_EQ(result.regions[0].slower, 2U);
  EXPECT_EQ(decisions(result.tree), (std::vector<std::string>{"default", "default", "Binomial_0K",
                                                              "Binomial_0K", "default"}));
  EXPECT_NO_THROW(model::validate(result.tree));
}

TEST(Verification, KeepsAllOrNothingWhereNoPartCanBeLeft) {
  model::RuleTree tree = fast_above_8();
  const auto judged = [&](const std::vector<double>& gains) {
    const RoundsOfPairs rounds = rounds_of(gains);
    Verification verification = verify_regions(tree, five_sizes(), rounds);
    keep_all_or_none(tree, rounds, verification);
    return verification;
  };
  const Verification kept = judged({1.5, 0.9, 1.5, 1.5});
  EXPECT_FALSE(kept.changed()) << "one is slower, all together are faster";
  EXPECT_EQ(decisions(kept.tree), decisions(tree));
  const Verification dropped = judged({1.5, 0.5, 0.5, 0.9});
  EXPECT_EQ(dropped.regions.front().verdict, Verdict::kDropped);
  EXPECT_EQ(model::decide(dropped.tree, at(64)), library_default());
  Verification nothing = verify_regions(tree, five_sizes(), {});
  keep_all_or_none(tree, {}, nothing);
  EXPECT_EQ(model::decide(nothing.tree, at(64)), library_default());
}

TEST(Verification, NeverKeepsWhatWasSlowerForTheSakeOfTheMean) {
  const auto result = verify_regions(fast_above_8(), five_sizes(), rounds_of({10, 10, 10, 0.95}));
  EXPECT_EQ(decisions(result.tree).back(), "default");
  EXPECT_EQ(decisions(result.tree)[3], "Binomial_0K");
}

}  // namespace
}  // namespace colltree::deploy
