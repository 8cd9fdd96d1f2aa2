// SPDX-License-Identifier: BSD-3-Clause
// What is written for UCC beside its thresholds, each of which made a real UCC do something else
// (docs/tasks/rules.md).
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch.h"
#include "rules/adapt.h"
#include "rules/check_rules.h"
#include "rules/ucc/ucc_scores.h"

namespace colltree::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A tree that asks for the communicator size: the first method up to 4 ranks, the next up to 8...
model::RuleTree tree_by_ranks(Collective collective, const std::vector<std::string>& methods) {
  model::RuleTree tree;
  for (const std::string& one : methods) tree.methods.push_back(parse_method_name(one, 0));
  std::uint32_t at = 0;
  for (std::uint16_t i = 0; i + 1U < methods.size(); ++i) {
    const std::uint32_t test = model::append_test(tree, Attribute::kCommunicatorSize, 4U << i);
    if (i > 0) tree.nodes[at].high = test;
    tree.nodes[test].low = model::append_leaf(tree, i);
    at = test;
  }
  const std::uint32_t leaf =
      model::append_leaf(tree, static_cast<std::uint16_t>(methods.size() - 1));
  if (methods.size() > 1) tree.nodes[at].high = leaf;
  tree.roots = {{collective, 0}};
  model::validate(tree);
  return tree;
}

struct Emitted {
  std::string file;
  std::string notes;
};

Emitted emitted(const char* target_name, const model::RuleTree& tree) {
  const RuleTarget& target = find_rule_target(target_name);
  const Adapted adapted = adapt_rules(tree, target, {});
  Emitted made{.file = target.write(adapted.keyed, "a model"), .notes = {}};
  for (const std::string& note : adapted.notes) made.notes += note + "\n";
  return made;
}

TEST(Ucc, BinaryAlgorithmsAreKnomialOnesOfRadix2) {
  struct Case {
    Collective collective;
    const char* ours;
    const char* line;
    const char* token;
  };
  const Case cases[] = {
      {Collective::kBcast, "binomial", "UCC_TL_UCP_BCAST_KN_RADIX=2\n", "'bcast:@knomial'"},
      {Collective::kBcast, "scatter_allgather", "UCC_TL_UCP_BCAST_SAG_KN_RADIX=2\n",
       "'bcast:@sag_knomial'"},
      {Collective::kAllreduce, "recursive_doubling", "UCC_TL_UCP_ALLREDUCE_KN_RADIX=2\n",
       "'allreduce:@knomial'"},
      {Collective::kAllreduce, "rabenseifner", "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX=2\n",
       "'allreduce:@sra_knomial'"},
      {Collective::kReduce, "rabenseifner", "UCC_TL_UCP_REDUCE_SRG_KN_RADIX=2\n", "'reduce:@srg'"},
      {Collective::kAllgatherv, "recursive_doubling", "UCC_TL_UCP_ALLGATHER_KN_RADIX=2\n",
       "'allgatherv:@knomial'"},
      {Collective::kReduceScatterBlock, "recursive_halving",
       "UCC_TL_UCP_REDUCE_SCATTER_KN_RADIX=2\n", "'reduce_scatter:@knomial'"},
      {Collective::kBcast, "knomial@radix=8", "UCC_TL_UCP_BCAST_KN_RADIX=8\n", "'bcast:@knomial'"}};
  for (const Case& one : cases) {
    const std::string file = emitted("ucc", tree_by_ranks(one.collective, {one.ours})).file;
    EXPECT_THAT(file, HasSubstr(std::string("\nexport ") + one.line)) << one.ours;
    EXPECT_THAT(file, HasSubstr(one.token)) << one.ours;
    const RuleTarget& target = find_rule_target("ucc");
    const RuleFile read = check_rules(target, file);
    EXPECT_TRUE(read.defects.empty()) << one.ours;
    EXPECT_EQ(decide(target, read.rules, {one.collective, 8, 1024}),
              target.express(one.collective, parse_method_name(one.ours)).method)
        << "written and read again";
  }
  EXPECT_THAT(emitted("ucc", tree_by_ranks(Collective::kBcast, {"knomial"})).file,
              Not(HasSubstr("RADIX")))
      << "its own radix";
}

TEST(Ucc, AJobHasOneRadixOfAnAlgorithm) {
  const Emitted made = emitted(
      "ucc", tree_by_ranks(Collective::kBcast, {"binomial", "knomial", "sag_knomial", "binomial"}));
  EXPECT_THAT(made.file, HasSubstr("UCC_TL_UCP_BCAST_KN_RADIX=2\n"));
  EXPECT_THAT(made.file, HasSubstr("'bcast:[0-8]:@knomial#bcast:[9-16]:@sag_knomial#"
                                   "bcast:[17-inf]:@knomial'"));
  EXPECT_EQ(made.notes, "bcast knomial: ucc has one radix for the whole job (1 rule)\n");
}

TEST(Ucc, WhatCannotBeChosenIsNeverWritten) {
  EXPECT_EQ(error_of([] { emitted("ucc", tree_by_ranks(Collective::kGather, {"binomial"})); }),
            "gather: ucc has no rules for it; left out: the file would change nothing in the "
            "library; name another target (colltree emit --help lists them)");
  const Emitted made =
      emitted("ucc", tree_by_ranks(Collective::kAllreduce, {"sliding_window", "dbt", "ring"}));
  EXPECT_THAT(made.file, HasSubstr("'allreduce:[5-8]:@dbt#allreduce:[9-inf]:@ring'"));
  EXPECT_EQ(made.notes,
            "allreduce dbt: knomial runs for MPI_IN_PLACE (1 rule)\n"
            "allreduce ring: knomial runs where the ranks do not divide the count (1 rule)\n"
            "allreduce sliding_window: never runs on plain buffers (1 rule)\n");
  EXPECT_EQ(emitted("ucc", tree_by_ranks(Collective::kAllgather, {"neighbor"})).notes,
            "allgather neighbor: ring runs on an odd number of ranks (1 rule)\n");
}

TEST(Ucc, ATargetNamesAVersion) {
  struct Case {
    const char* target;
    Collective collective;
    const char* method;
    bool known;
  };
  const Case cases[] = {{"ucc-1.3", Collective::kAllgather, "neighbor", true},
                        {"ucc-1.3", Collective::kAllgather, "bruck", false},
                        {"ucc-1.4", Collective::kAllgather, "bruck", true},
                        {"ucc-1.4", Collective::kAllgather, "linear", false},
                        {"ucc-1.5", Collective::kAllgather, "linear", true},
                        {"ucc-1.5", Collective::kAllreduce, "ring", false},
                        {"ucc", Collective::kAllreduce, "ring", true},
                        {"ucc-1.5", Collective::kAllgatherv, "knomial", false},
                        {"ucc", Collective::kAllgatherv, "knomial", true},
                        {"ucc-1.3", Collective::kReduce, "knomial", false},
                        {"ucc-1.4", Collective::kReduce, "knomial", true}};
  for (const Case& one : cases) {
    const RuleTarget& target = find_rule_target(one.target);
    EXPECT_EQ(target.express(one.collective, {one.method, 0}).method.has_value(), one.known)
        << one.target << ' ' << one.method;
  }
  EXPECT_THAT(emitted("ucc-1.5", tree_by_ranks(Collective::kBcast, {"dbt"})).file,
              HasSubstr("\n# For UCC 1.5 to 1.7\n"));
}

TEST(Ucc, MpiReduceScatterIsReduceScatterv) {
  EXPECT_THAT(emitted("ucc", tree_by_ranks(Collective::kReduceScatter, {"ring"})).file,
              HasSubstr("'reduce_scatterv:@ring'"));
}

RuleSet long_rules(std::size_t rules) {
  CollectiveRules one{.collective = Collective::kBcast, .rules = {}};
  for (std::size_t i = 0; i < rules; ++i) {
    Rule rule{.message = {i * 1000, i * 1000 + 999}, .line = 0};
    rule.method = {i % 2 == 0 ? "knomial" : "dbt", 0};
    one.rules.push_back(rule);
  }
  return {{one}};
}

TEST(Ucc, AVariableThatLinuxDoesNotTakeIsRefused) {
  const RuleTarget& target = find_rule_target("ucc");
  EXPECT_NO_THROW(target.write(long_rules(3000), ""));
  EXPECT_THAT(error_of([&] { target.write(long_rules(5000), ""); }),
              HasSubstr("and no variable can have more than 131072; fit a "
                        "smaller model"));
}

// UCC 1.3.0 prints such lines to both streams.
TEST(Ucc, TheScoreTableOfTheLastTeamSaysWhoCarriesOutACall) {
  const std::string begin = "[1795964679.227631] [vm:1:0] ucc_coll_score_map.c:201  UCC  INFO  ";
  const std::vector<std::string> lines = {
      begin + "Bcast:",
      begin + "\tHost: {0..inf}:TL_SHM:20 ",
      begin + "Bcast:",
      begin + "\tHost: {0..4095}:TL_UCP:10 {4K}:TL_UCP:inf {4097..inf}:CL_HIER:50 ",
      begin + "\tCuda: {0..inf}:TL_NCCL:20 ",
      begin + "Reduce_scatter:",
      begin + "\tCuda: {0..inf}:TL_NCCL:20 ",
      "===== end ====="};
  const auto score = [&](Collective collective, std::uint64_t bytes) {
    return ucc_score(collective, bytes, lines);
  };
  const std::string says = "UCC's score table: ";
  const std::string memory = " bytes of host memory";
  EXPECT_EQ(score(Collective::kBcast, 4095),
            says + "TL_UCP with score 10 carries out 0..4095" + memory);
  EXPECT_EQ(score(Collective::kBcast, 4096),
            says + "TL_UCP with score inf carries out 4K" + memory);
  EXPECT_EQ(score(Collective::kBcast, 1 << 20),
            says + "CL_HIER with score 50 carries out 4097..inf" + memory);
  EXPECT_EQ(score(Collective::kReduceScatterBlock, 8), "");
  EXPECT_EQ(score(Collective::kReduceScatter, 8), "");
}

}  // namespace
}  // namespace colltree::rules
