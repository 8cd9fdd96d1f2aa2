// SPDX-License-Identifier: BSD-3-Clause
// What safety lets through: by collective, how many sizes a row of communicator sizes may have, and
// which methods. tests/hazards shows on the libraries themselves that it is enough.
#include "rules/safety.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/adapt.h"
#include "rules/check_rules.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

constexpr const char* kOpenmpiTargets[] = {"openmpi-4.1", "openmpi-5.0.7"};

std::size_t most_sizes(const CollectiveRules& rules) {
  std::size_t most = 0;
  for (const RuleRow& row : rows_of(rules)) most = std::max(most, row.size());
  return most;
}

TEST(Safety, OnlyWhatRanksLookUpAlikeMayDependOnTheSize) {
  struct Row {
    Collective collective;
    Method small, large;
    std::size_t sizes;
  };
  const Row rows[] = {{Collective::kAllgather, {"ring", 0}, {"bruck", 0}, 1},
                      {Collective::kAllgatherv, {"ring", 0}, {"bruck", 0}, 1},
                      {Collective::kGather, {"basic_linear", 0}, {"binomial", 0}, 1},
                      {Collective::kScatter, {"basic_linear", 0}, {"binomial", 0}, 1},
                      {Collective::kAlltoall, {"linear_sync", 0}, {"pairwise", 0}, 2},
                      {Collective::kBcast, {"knomial", 0}, {"binomial", 0}, 2}};
  for (const char* name_of_target : kOpenmpiTargets) {
    const RuleTarget& target = find_rule_target(name_of_target);
    for (const Row& row : rows) {
      const model::RuleTree tree =
          testing::two_leaves(row.collective, Attribute::kMessageSize, 999, row.small, row.large);
      EXPECT_EQ(most_sizes(adapt_rules(tree, target, {}).keyed.collectives[0]), row.sizes)
          << target.name << ' ' << name(row.collective);
      EXPECT_EQ(most_sizes(adapt_rules(tree, target, {.allow_unsafe = true}).keyed.collectives[0]),
                2U)
          << target.name << ' ' << name(row.collective);
    }
  }
}

TEST(Safety, WhatBreaksWhereTypesDifferIsNeverChosen) {
  struct Row {
    Collective collective;
    Method method;
    const char* note;
  };
  const Row rows[] = {
      {Collective::kGather, {"linear_sync", 1024}, "gather linear_sync with segments fails"},
      {Collective::kAlltoall, {"modified_bruck", 0}, "alltoall modified_bruck fails or gives"},
      {Collective::kAllgather, {"sparbit", 0}, "allgather sparbit crashes or gives wrong values"},
      {Collective::kAllgatherv, {"sparbit", 0}, "allgatherv sparbit fails or hangs"}};
  const RuleTarget& target = find_rule_target("openmpi-5.0.7");
  for (const Row& row : rows) {
    const Adapted adapted = adapt_rules(model::one_leaf(row.collective, row.method), target, {});
    for (const Rule& rule : adapted.keyed.collectives[0].rules) {
      EXPECT_NE(rule.method, row.method) << row.method.label();
    }
    EXPECT_THAT(adapted.notes, ::testing::Contains(::testing::HasSubstr(row.note)));
  }
  const Method whole{"linear_sync", 0};
  EXPECT_EQ(adapt_rules(model::one_leaf(Collective::kGather, whole), target, {})
                .keyed.collectives[0]
                .rules[0]
                .method,
            whole);
}

// Beyond, its bcast halves messages by each rank's own count.
TEST(Safety, AllgatherLinearEndsAt256Ranks) {
  const Method linear{"linear", std::nullopt};
  const Adapted adapted = adapt_rules(model::one_leaf(Collective::kAllgather, linear),
                                      find_rule_target("openmpi-4.1"), {});
  const CollectiveRules& rules = adapted.rules.collectives[0];
  EXPECT_EQ(decide(rules, {{.communicator_size = 256}}), linear);
  EXPECT_EQ(decide(rules, {{.communicator_size = 257}}), library_default());
}

// Where MPICH's own choice has the hazard too, it is kept; elsewhere MPICH decides.
TEST(Safety, MpichKeepsWhatItTakesItself) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const auto decided = [&](Collective collective, const char* method, const Instance& at) {
    const Adapted adapted = adapt_rules(model::one_leaf(collective, {method, 0}), target, {});
    return decide(*adapted.rules.find(collective), query_of(at)).algorithm;
  };
  const auto at = [](Collective collective, std::uint64_t ranks, std::uint64_t bytes) {
    return Instance{.collective = collective, .communicator_size = ranks, .message_size = bytes};
  };
  constexpr Collective kAllgatherv = Collective::kAllgatherv;
  EXPECT_EQ(decided(kAllgatherv, "ring", at(kAllgatherv, 4, 600000)), "ring");
  EXPECT_EQ(decided(kAllgatherv, "ring", at(kAllgatherv, 4, 1000)), kDefaultAlgorithm);
  EXPECT_EQ(decided(kAllgatherv, "nb", at(kAllgatherv, 4, 600000)), kDefaultAlgorithm);
  constexpr Collective kReduceScatter = Collective::kReduceScatter;
  EXPECT_EQ(decided(kReduceScatter, "pairwise", at(kReduceScatter, 4, 524288)), "pairwise");
  EXPECT_EQ(decided(kReduceScatter, "pairwise", at(kReduceScatter, 4, 524287)), kDefaultAlgorithm);
  EXPECT_EQ(decided(kReduceScatter, "noncommutative", at(kReduceScatter, 4, 8)), kDefaultAlgorithm);
  constexpr Collective kAlltoall = Collective::kAlltoall;
  EXPECT_EQ(decided(kAlltoall, "brucks", at(kAlltoall, 9, 256)), "brucks");
  EXPECT_EQ(decided(kAlltoall, "brucks", at(kAlltoall, 9, 257)), kDefaultAlgorithm);
  EXPECT_EQ(decided(kAlltoall, "brucks", at(kAlltoall, 8, 256)), kDefaultAlgorithm);
}

// The ring's border is one of all blocks together: with rows of the model the blocks may be
// smaller.
TEST(Safety, MpichRingBeginsWhereAllBlocksTogetherAreLarge) {
  const model::RuleTree tree = testing::two_leaves(
      Collective::kAllgatherv, Attribute::kCommunicatorSize, 63, {"brucks", 0}, {"ring", 0});
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const Adapted adapted = adapt_rules(tree, target, {});
  const CollectiveRules& rules = adapted.rules.collectives[0];
  EXPECT_EQ(decide(rules, {{.communicator_size = 64, .message_size = 8192}}).algorithm, "ring");
  EXPECT_EQ(decide(rules, {{.communicator_size = 64, .message_size = 8191}}), library_default());
  const RuleFile file = check_rules(target, target.write(adapted.keyed, "test"));
  EXPECT_TRUE(file.defects.empty());
}

}  // namespace
}  // namespace colltree::rules
