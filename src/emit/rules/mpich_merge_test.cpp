// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/mpich_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/input.h"
#include "base/test_paths.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/mpich_own_choice.h"
#include "emit/rules/random_rules.h"

namespace colltree {
namespace {

using ::testing::HasSubstr;
using testing::kMpichTargets;

RuleSet random_keyed(testing::Random& random, const RuleTarget& target, Collective collective) {
  const RuleTree tree =
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
      std::string site = target.write(target, random_keyed(random, target, others), "");
      if (testing::pick(random, 0, 1) == 0) site = with_other_blanks(site);
      const std::string merged = merge_mpich_json(target, own, site);
      const RuleFile before = check_rules(target, site);
      const RuleFile after = check_rules(target, merged);
      ASSERT_EQ(errors_of(after), "") << merged;
      const RuleFile alone = check_rules(target, target.write(target, own, ""));
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
  const std::string site = with_other_blanks(target.write(target, {}, ""));
  const std::string merged =
      merge_mpich_json(target, random_keyed(random, target, Collective::kReduce), site);
  const Json root = Json::parse(site);
  for (const Json::Member& member : root.items()) {
    if (member.key == "collective= reduce") continue;
    EXPECT_THAT(merged, HasSubstr(std::string(member.value.place().of(site)))) << member.key;
  }
  // Of the replaced one its branch for intercommunicators.
  const Json* reduce = root.find("collective= reduce");
  ASSERT_NE(reduce, nullptr);
  const Json& inter = *reduce->find("comm_type=inter");
  EXPECT_THAT(merged, HasSubstr(std::string(inter.place().of(site))));
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
    const RuleFile file = check_rules(target, merge_mpich_json(target, own, site));
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
  const RuleFile alone = check_rules(target, target.write(target, own, ""));
  const std::string comment = read_file(testing::data_dir() / "reports" / "mpich-4.0-comment.json");
  const std::string bcast =
      "'collective=bcast': { // ours\n 'algorithm=MPIR_Bcast_intra_binomial': {}, }";
  const std::string others =
      "\"collective=barrier\": {\"algorithm=MPIR_Barrier_intra_dissemination\": {}}";
  for (const std::string& site : std::initializer_list<std::string>{
           comment, "{ " + bcast + ", }", "{ " + others + ", /* no more, */ }", "{ /* none */ }",
           "{ " + others + " // end\n}\n// that was all",
           "{" + bcast + "," + bcast + "} and more"}) {
    const std::string merged = merge_mpich_json(target, own, site);
    const RuleFile file = check_rules(target, merged);
    EXPECT_EQ(errors_of(file), "") << merged;
    EXPECT_EQ(without_lines(file, Collective::kBcast), without_lines(alone, Collective::kBcast))
        << merged;
  }
}

TEST(MpichMerge, AFileThatIsNoneIsRefusedByLine) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  try {
    merge_mpich_json(target, {}, "{\n\"collective=bcast\"\n");
    FAIL() << "no error";
  } catch (const JsonError& error) {
    EXPECT_EQ(error.line, 3U);
  }
  EXPECT_THROW(merge_mpich_json(target, {}, "[]"), JsonError);
}

// MPICH maps a file and needs a byte behind it.
TEST(MpichMerge, NoFileIsOfWholePages) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  std::string site = target.write(target, {}, "");
  const std::string merged = merge_mpich_json(target, {}, site);
  site.append(4096 - merged.size() % 4096, ' ');
  ASSERT_EQ(site.size() % 4096, 0U);
  EXPECT_EQ(merge_mpich_json(target, {}, site), site + "\n");
}

}  // namespace
}  // namespace colltree
