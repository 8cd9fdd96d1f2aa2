// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_probes.h"

#include <gtest/gtest.h>

#include <array>

namespace colltree::deploy {
namespace {

const std::vector<Method> kMarkers = {{"one", 0}, {"two", 0}};

// Method of the marked copy: the first rule that holds both.
std::string mark(const std::vector<rules::Rule>& rules, std::uint64_t ranks,
                 std::uint64_t message) {
  for (const rules::Rule& rule : rules) {
    if (rule.communicator_size.holds(ranks) && rule.message.holds(message))
      return rule.method.algorithm;
  }
  return "none";
}

rules::Rule rule(rules::Span communicator_size, rules::Span message, std::uint32_t required = 0) {
  return {.communicator_size = communicator_size,
          .message = message,
          .method = kMarkers[0],
          .required = required};
}

TEST(LiveProbes, BothSidesOfEachThresholdAreMarkedApart) {
  const rules::CollectiveRules rules{
      Collective::kBcast,
      {rule({0, 2}, {0, 99}), rule({0, 2}, {100, UINT64_MAX}), rule({3, 8}, {})}};
  const std::vector<rules::Rule> marked = marked_rules(rules, kMarkers, {2, 3});
  EXPECT_NE(mark(marked, 2, 99), mark(marked, 2, 100));
  EXPECT_NE(mark(marked, 2, 0), mark(marked, 3, 0));
}

TEST(LiveProbes, RowsThatAreNotAskedDoNotMakeTheirNeighboursAlike) {
  const rules::CollectiveRules rules{
      Collective::kBarrier,
      {rule({0, 2}, {}), rule({3, 5}, {}), rule({6, 8}, {}), rule({9, UINT64_MAX}, {})}};
  for (const auto& [fewer, more] :
       std::array<std::array<std::uint64_t, 2>, 4>{{{2, 4}, {2, 7}, {2, 16}, {4, 16}}}) {
    const std::vector<rules::Rule> marked = marked_rules(rules, kMarkers, {fewer, more});
    EXPECT_NE(mark(marked, fewer, 0), mark(marked, more, 0)) << fewer << " and " << more;
  }
}

TEST(LiveProbes, RulesForCallsThatAreNotMadeHaveNoThreshold) {
  const rules::CollectiveRules rules{
      Collective::kBcast,
      {rule({0, 2}, {0, 9}, kHierarchy), rule({0, 8}, {0, 99}), rule({0, 8}, {100, UINT64_MAX})}};
  EXPECT_EQ(message_begins(rules, 2), (std::set<std::uint64_t>{0, 100}));
  EXPECT_FALSE(switches_between(rules, 2, 3));
  EXPECT_TRUE(switches_between(rules, 8, 9));
}

TEST(LiveProbes, SizesAreAskedJustBelowAndAtAThreshold) {
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(around(rules::SizeKey::kMessage, 100, 4), (Sizes{99, 100}));
  EXPECT_EQ(around(rules::SizeKey::kTimesRanks, 100, 4), (Sizes{24, 25}));
  EXPECT_EQ(around(rules::SizeKey::kTimesRanks, 101, 4), (Sizes{25, 26}));
  EXPECT_EQ(around(rules::SizeKey::kMessage, 0, 4), Sizes{});
  EXPECT_EQ(around(rules::SizeKey::kNone, 100, 4), Sizes{});
}

}  // namespace
}  // namespace colltree::deploy
