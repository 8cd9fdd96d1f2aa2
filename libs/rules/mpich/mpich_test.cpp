// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/input.h"
#include "base/test_json.h"
#include "base/test_paths.h"
#include "rules/check_rules.h"
#include "rules/mpich/mpich_methods.h"
#include "rules/rule_target.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

using ::testing::HasSubstr;
using testing::kMpichTargets;

RuleSet random_keyed(testing::Random& random, const RuleTarget& target, Collective collective) {
  const model::RuleTree tree =
      testing::random_tree(random, collective, testing::expressible(target, collective), false);
  return adapt_rules(tree, target, {.allow_unsafe = true}).keyed;
}

// As a person would have it: other blanks, blanks inside keys.
std::string with_other_blanks(const std::string& file) {
  std::string text;
  for (const char c : file) {
    text += c == ' ' ? "\t" : std::string(1, c);
    if (c == ':') text += "\n  ";
  }
  const std::string key = "\"collective=";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    text.insert(at + key.size(), " ");
  return text;
}

// As the library reads them: lines tell where a rule stands, not what it says.
CollectiveRules without_lines(const RuleFile& file, Collective collective) {
  CollectiveRules rules = *file.rules.find(collective);
  for (Rule& rule : rules.rules) rule.line = 0;
  return rules;
}

std::string errors_of(const RuleFile& file) {
  std::string all;
  for (const Defect& defect : file.defects) {
    if (defect.severity == Severity::kError) all += defect.text + "\n";
  }
  return all;
}

TEST(MpichMerge, OneCollectiveIsReplacedAndAllOthersStay) {
  testing::Random random(17);
  std::size_t changed = 0;
  for (const char* const name_of_target : kMpichTargets) {
    const RuleTarget& target = find_rule_target(name_of_target);
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective)) continue;
      const RuleSet own = random_keyed(random, target, info.collective);
      const Collective others =
          info.collective == Collective::kBcast ? Collective::kAllreduce : Collective::kBcast;
      std::string site = target.write(random_keyed(random, target, others), "");
      if (testing::pick(random, 0, 1) == 0) site = with_other_blanks(site);
      const std::string merged = target.merge(own, site);
      const RuleFile before = check_rules(target, site);
      const RuleFile after = check_rules(target, merged);
      ASSERT_EQ(errors_of(after), "") << merged;
      const RuleFile alone = check_rules(target, target.write(own, ""));
      EXPECT_EQ(without_lines(after, info.collective), without_lines(alone, info.collective));
      changed += without_lines(before, info.collective) != without_lines(after, info.collective);
      for (const CollectiveRules& one : before.rules.collectives) {
        if (one.collective == info.collective) continue;
        EXPECT_EQ(without_lines(after, one.collective), without_lines(before, one.collective));
      }
    }
  }
  EXPECT_GT(changed, 20U);
}

// Every byte outside the one subtree.
TEST(MpichMerge, TheSitesTextStays) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  testing::Random random(3);
  const std::string site = with_other_blanks(target.write({}, ""));
  const std::string merged = target.merge(random_keyed(random, target, Collective::kReduce), site);
  const Json root = Json::parse(site);
  for (const Json::Member& member : root.items()) {
    if (member.key == "collective= reduce") continue;
    EXPECT_THAT(merged, HasSubstr(text_in(site, member.value.place()))) << member.key;
  }
  // Of the replaced one its branch for intercommunicators.
  const Json* reduce = root.find("collective= reduce");
  ASSERT_NE(reduce, nullptr);
  const Json& inter = *reduce->find("comm_type=inter");
  EXPECT_THAT(merged, HasSubstr(text_in(site, inter.place())));
}

TEST(MpichMerge, WhatTheSiteLacksIsAdded) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  testing::Random random(5);
  RuleSet own = random_keyed(random, target, Collective::kBcast);
  own.collectives.push_back(random_keyed(random, target, Collective::kScan).collectives[0]);
  for (const char* const site : {"{}", "{ }\n",
                                 "{\"collective=gather\": {\"comm_type=intra\": "
                                 "{\"algorithm=MPIR_Gather_intra_binomial\": {}}, "
                                 "\"comm_type=inter\": "
                                 "{\"algorithm=MPIR_Gather_inter_linear\": {}}}}"}) {
    const RuleFile file = check_rules(target, target.merge(own, site));
    EXPECT_NE(file.rules.find(Collective::kBcast), nullptr) << site;
    EXPECT_NE(file.rules.find(Collective::kScan), nullptr) << site;
  }
}

// Comments, trailing commas and single quotes, which json-c takes (tests/data/reports, and what
// else a person writes): the site's text stays, and MPICH reads the result.
TEST(MpichMerge, ASitesFileIsTakenAsMpichTakesIt) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  testing::Random random(11);
  const RuleSet own = random_keyed(random, target, Collective::kBcast);
  const RuleFile alone = check_rules(target, target.write(own, ""));
  const std::string comment = read_file(testing::data_dir() / "reports" / "mpich-4.0-comment.json");
  const std::string bcast =
      "'collective=bcast': { // ours\n 'algorithm=MPIR_Bcast_intra_binomial': {}, }";
  const std::string others =
      "\"collective=barrier\": {\"algorithm=MPIR_Barrier_intra_dissemination\": {}}";
  for (const std::string& site : std::initializer_list<std::string>{
           comment, "{ " + bcast + ", }", "{ " + others + ", /* no more, */ }", "{ /* none */ }",
           "{ " + others + " // end\n}\n// that was all",
           "{" + bcast + "," + bcast + "} and more"}) {
    const std::string merged = target.merge(own, site);
    const RuleFile file = check_rules(target, merged);
    EXPECT_EQ(errors_of(file), "") << merged;
    EXPECT_EQ(without_lines(file, Collective::kBcast), without_lines(alone, Collective::kBcast))
        << merged;
  }
}

TEST(MpichMerge, AFileThatIsNoneIsRefusedByLine) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  try {
    target.merge({}, "{\n\"collective=bcast\"\n");
    FAIL() << "no error";
  } catch (const JsonError& error) {
    EXPECT_EQ(error.line, 3U);
  }
  EXPECT_THROW(target.merge({}, "[]"), JsonError);
}

// MPICH maps a file and needs a byte behind it.
TEST(MpichMerge, NoFileIsOfWholePages) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  std::string site = target.write({}, "");
  const std::string merged = target.merge({}, site);
  site.append(4096 - merged.size() % 4096, ' ');
  ASSERT_EQ(site.size() % 4096, 0U);
  EXPECT_EQ(target.merge({}, site), site + "\n");
}

// What differs between the versions of MPICH's selection files.

using ::testing::HasSubstr;
using ::testing::Not;

std::string stock(const char* target) { return find_rule_target(target).write({}, ""); }

// A name that a version does not know aborts every program; a radix that is not given is not set.
TEST(MpichVersions, TheBarrierHasItsVersionsName) {
  EXPECT_THAT(stock("mpich-4.0"), HasSubstr("MPIR_Barrier_intra_dissemination\": {}"));
  for (const char* target : {"mpich-4.1", "mpich-4.2", "mpich-4.3", "mpich-5.0"}) {
    EXPECT_THAT(stock(target),
                HasSubstr("MPIR_Barrier_intra_k_dissemination\": {\n     \"k=2\": {}"));
    EXPECT_THAT(stock(target), Not(HasSubstr("intra_dissemination")));
  }
}

TEST(MpichVersions, TheNamesOfAnotherAreErrors) {
  const auto defects = [](const char* target, const std::string& text) {
    std::string all;
    for (const Defect& defect : check_rules(find_rule_target(target), text).defects)
      all += std::string(name(defect.severity)) + ": " + defect.text + "\n";
    return all;
  };
  for (const char* target : kMpichTargets) EXPECT_EQ(defects(target, stock(target)), "");
  EXPECT_EQ(defects("mpich-4.2", stock("mpich-4.0")),
            "error: barrier: unknown algorithm 'MPIR_Barrier_intra_dissemination'; did you mean "
            "'MPIR_Barrier_intra_k_dissemination'?; mpich-4.2 aborts in MPI_Init\n");
  EXPECT_THAT(defects("mpich-4.0", stock("mpich-4.2")), HasSubstr("unknown algorithm"));
  std::string without = stock("mpich-4.2");
  without.replace(without.find("\"k=2\""), 5, "\"x=2\"");
  EXPECT_EQ(defects("mpich-4.2", without),
            "unsafe: barrier k_dissemination without \"k=2\" below it: MPICH takes any value\n");
}

// MPICH 5.0.1 of PyPI, which has no such library, crashes at a call that comes to the rule.
TEST(MpichVersions, CallsOfGpusArePassedOnFrom50) {
  const auto defects = [](const char* name_of_target, const char* parameter) {
    const RuleTarget& target = find_rule_target(name_of_target);
    std::string text = target.write({}, "");
    const std::string own = "\"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather\": {}";
    const std::size_t begin = text.find(own);
    text.replace(begin, own.size(),
                 std::string("\"algorithm=MPIR_Allreduce_intra_ccl\": {") + parameter + "}");
    const RuleFile file = check_rules(target, text);
    const CollectiveRules* rules = file.rules.find(Collective::kAllreduce);
    return std::string(name(file.defects.front().severity)) + ": " + file.defects.front().text +
           (rules == nullptr
                ? ""
                : " " + decide(target, file.rules, {Collective::kAllreduce, 4, 1 << 20}).name());
  };
  EXPECT_THAT(defects("mpich-4.3", R"("ccl=rccl": {})"), HasSubstr("error: allreduce: unknown"));
  EXPECT_THAT(defects("mpich-5.0", R"("ccl=rccl": {})"),
              ::testing::MatchesRegex("unsafe: allreduce ccl: .* crashes ccl"));
}

RuleSet binomial_bcast() {
  RuleSet rules;
  rules.rules_for(Collective::kBcast).rules.push_back({.method = {"binomial", 0}});
  return rules;
}

// 5.0.2 runs none of the rules behind "comm_hierarchy=node", which it reads as "is no parent".
TEST(MpichVersions, RulesStandBehindItsOwnCommunicatorsWhereItCan) {
  const RuleTarget& seeing = find_rule_target("mpich-4.3");
  const RuleTarget& blind = find_rule_target("mpich-5.0");
  EXPECT_THAT(seeing.write(binomial_bcast(), ""), HasSubstr("comm_hierarchy=node"));
  EXPECT_THAT(blind.write(binomial_bcast(), ""), Not(HasSubstr("comm_hierarchy=node")));
  const Instance at{Collective::kBcast, 4, 1 << 20};
  const auto ran = [&](const RuleTarget& target) {
    const RuleFile file = check_rules(target, seeing.write(binomial_bcast(), ""));
    return decide(target, file.rules, at).algorithm;
  };
  EXPECT_EQ(ran(seeing), "binomial");
  const RuleFile own = blind.read(blind.write({}, ""));
  EXPECT_EQ(ran(blind), decide(blind, own.rules, at).algorithm);
}

TEST(MpichVersions, ATreesTypeIsANumberAndThenAWord) {
  RuleSet rules;
  rules.rules_for(Collective::kAllreduce).rules.push_back({.method = {"tree", 0}});
  EXPECT_THAT(find_rule_target("mpich-4.2").write(rules, ""), HasSubstr("\"tree_type=1\""));
  EXPECT_THAT(find_rule_target("mpich-4.3").write(rules, ""), HasSubstr("\"tree_type=knomial_1\""));
}

// What MPICH 4.0.2 ran under the file of tests/data/reports with one edit, as `explain --live` saw.
TEST(MpichVersions, OddFilesAnswerAsTheLibraryDid) {
  struct Case {
    const char* now;  // in the place of "avg_msg_size<=237"
    std::uint64_t ranks;
    std::uint64_t bytes;
    const char* algorithm;
  };
  const Case cases[] = {
      {"\"avg_msg_size<=64K\"", 2, 64, "binomial"},
      {"\"avg_msg_size<=64K\"", 2, 65, "scatter_ring_allgather"},
      {"\"avg_msg_size<=4294967300\"", 2, 4, "binomial"},
      {"\"avg_msg_size<=4294967300\"", 2, 5, "scatter_ring_allgather"},
      {"\"avg_msg_size<=-5\"", 2, 1, "scatter_ring_allgather"},
      {"\" avg_msg_size <= 2 37\"", 2, 237, "binomial"},
      {"\"avg_msg\\u005fsize<=\n237\"", 2, 238, "scatter_ring_allgather"},
      {"\"avg_msg_size<=100\": {\"comm_size<3\": "
       "{\"algorithm=MPIR_Bcast_intra_scatter_ring_allgather"
       "\": {}}, \"comm_size=any\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}}},\n"
       "\"avg_msg_size<=237\"",
       3, 50, "scatter_ring_allgather"},
      {"\"avg_msg_size<=8\": {\"algorithm=MPIR_Bcast_intra_smp\": {}}, \"avg_msg_size<=8\": "
       "{\"algorithm=MPIR_Bcast_intra_scatter_ring_allgather\": {}}, \"avg_msg_size<=237\"",
       2, 8, "scatter_ring_allgather"},
  };
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const std::string file = read_file(testing::data_dir() / "reports" / "mpich-4.0-comment.json");
  const std::string old = "\"avg_msg_size<=237\"";
  for (const Case& one : cases) {
    std::string text = file;
    text.replace(text.find(old), old.size(), one.now);
    const RuleFile read = check_rules(target, text);
    for (const Defect& defect : read.defects)
      EXPECT_EQ(defect.severity, Severity::kWarning) << defect.text;
    const Instance at{Collective::kBcast, one.ranks, one.bytes};
    EXPECT_EQ(decide(target, read.rules, at).algorithm, one.algorithm) << one.now;
  }
}

// One rule for all calls of a collective, written; the method that is read again.
Method through_a_file(Collective collective, const char* name, std::uint64_t segment_size) {
  const RuleTarget& target = find_rule_target("mpich-4.2");
  const Expressed expressed = target.express(collective, parse_method_name(name, segment_size));
  EXPECT_EQ(expressed.reason, "") << name;
  const RuleSet rules{{{collective, {{.method = *expressed.method}}}}};
  const RuleFile file = check_rules(target, target.write(rules, ""));
  EXPECT_TRUE(std::ranges::none_of(file.defects, [](const Defect& one) {
    return one.severity == Severity::kError;
  })) << name;
  return decide(target, file.rules, {collective, 8, 65536});
}

TEST(MpichVersions, RadixAndSegmentSizeGoThroughAFile) {
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "recexch@radix=4", 0).label(),
            "Recexch@radix=4_0K");
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "tree@radix=3", 8192).name(), "tree@radix=3");
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "tree@radix=3", 8192).segment_size, 8192U);
  EXPECT_EQ(through_a_file(Collective::kBcast, "pipelined_tree", 1024).segment_size, 1024U);
  EXPECT_EQ(through_a_file(Collective::kBcast, "tree@radix=2", 0).name(), "tree") << "its own";
  EXPECT_EQ(through_a_file(Collective::kBarrier, "k_dissemination@radix=4", 0).name(),
            "k_dissemination@radix=4");
  const RuleTarget& old = find_rule_target("mpich-4.0");
  EXPECT_EQ(
      old.express(Collective::kBarrier, parse_method_name("k_dissemination@radix=4", 0)).reason,
      "barrier dissemination of mpich-4.0 has no radix");
}

TEST(MpichVersions, OneAlgorithmUnderTwoNamesIsFound) {
  const auto of = [](const char* target, Collective collective, const char* algorithm) {
    const Expressed expressed =
        find_rule_target(target).express(collective, {algorithm, std::nullopt});
    return expressed.method ? expressed.method->algorithm : expressed.reason;
  };
  EXPECT_EQ(of("mpich-4.0", Collective::kBarrier, "k_dissemination"), "dissemination");
  EXPECT_EQ(of("mpich-4.2", Collective::kBarrier, "dissemination"), "k_dissemination");
  EXPECT_EQ(of("mpich-4.1", Collective::kAllreduce, "tree"), "MPICH 4.1 has no allreduce 'tree'");
  EXPECT_EQ(of("mpich-4.2", Collective::kAllreduce, "tree"), "tree");
}

}  // namespace
}  // namespace colltree::rules
