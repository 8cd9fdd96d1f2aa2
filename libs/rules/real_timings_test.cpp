// SPDX-License-Identifier: BSD-3-Clause
// Real timings (tests/data) -> exact trees -> Open MPI rules: the file, read by our reader, costs
// on the timings what the model does; safe files cost more and say so.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "model/kinds/quadtree.h"
#include "profile/csv.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "rules/adapt.h"
#include "rules/check_rules.h"
#include "rules/test_rules.h"
#include "surrogate/complete.h"
#include "timings/penalty.h"

namespace colltree::rules {
namespace {

struct Source {
  const char* file;
  const char* system;
  profile::MessageSizeConvention convention;
};
constexpr Source kSources[] = {
    {"orfeo_epyc_openmpi_bcast_reduce", "orfeo-epyc-core", profile::MessageSizeConvention::kBlock},
    {"marenostrum5_openmpi_8coll", "marenostrum5", profile::MessageSizeConvention::kTotal}};

std::vector<Timings> timings_of(const Source& source) {
  profile::Profile profile(fresh_path(std::string(source.file) + ".db"), profile::OpenMode::kWrite);
  const auto path = colltree::testing::data_dir() / (std::string(source.file) + ".csv.gz");
  profile::import_csv(profile, read_file(path), path.string(), {source.convention});
  std::vector<Timings> all;
  for (const CollectiveInfo& info : all_collectives()) {
    if (auto one =
            surrogate::complete(profile::find_timings(profile, source.system, info.collective))) {
      all.push_back(std::move(*one));
    }
  }
  return all;
}

model::RuleTree exact_tree(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  const model::LabelGrid grid = model::make_label_grid(map);
  return model::fit_quadtree(model::origin_of({timings}), grid, {}).rules;
}

double model_mean(const Timings& timings, const model::RuleTree& tree) {
  const auto choose = [&](const Instance& at) { return model::decide(tree, at); };
  return summarize(penalty_points(timings, choose)).mean;
}

TEST(RealTimings, TheFileCostsWhatTheModelCosts) {
  std::size_t compared = 0;
  for (const Source& source : kSources) {
    for (const Timings& one : timings_of(source)) {
      const model::RuleTree tree = exact_tree(one);
      const std::vector<Timings> timings = {one};
      for (const char* name_of_target : {"openmpi-4.1", "openmpi-5.0.7"}) {
        const RuleTarget& target = find_rule_target(name_of_target);
        const Adapted adapted =
            adapt_rules(tree, target, {.allow_unsafe = true, .timings = &timings});
        const RuleFile file = check_rules(target, target.write(adapted.keyed, "test"));
        const RulePenalty penalty = rule_penalty(file.rules, timings, &target, RuleUnit::kKey);
        EXPECT_DOUBLE_EQ(penalty.mean, model_mean(one, tree))
            << source.system << ' ' << name(one.collective) << ' ' << target.name;
        EXPECT_GT(penalty.instances, 0U);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 2U * 9);
}

std::vector<Timings> made_up(const std::string& rows) {
  profile::Profile profile(fresh_path("made_up.db"), profile::OpenMode::kWrite);
  profile::import_csv(profile, std::string(profile::kCsvHeader) + "\n" + rows, "made_up.csv",
                      {profile::MessageSizeConvention::kBlock});
  return {*surrogate::complete(profile::find_timings(profile, "s", Collective::kBcast))};
}

// Whatever the target makes of the methods, the note's first figure is the model's own: here SMPI
// has one word for two of them.
TEST(MadeUpTimings, EachTargetSaysWhatTheModelCosts) {
  const std::vector<Timings> timings = made_up(
      "s,m,bcast,8,1,8,64,pipeline,0,,1\ns,m,bcast,8,1,8,64,pipeline,1024,,2\n"
      "s,m,bcast,8,1,8,65536,pipeline,0,,30\ns,m,bcast,8,1,8,65536,pipeline,1024,,20\n"
      // Every target has one of these.
      "s,m,bcast,8,1,8,1048576,binomial,0,,50\ns,m,bcast,8,1,8,2097152,linear,0,,90\n");
  const model::RuleTree tree = exact_tree(timings[0]);
  for (const RuleTarget& target : rule_targets()) {
    if (!target.size_key(Collective::kBcast)) continue;
    const Adapted adapted = adapt_rules(tree, target, {.timings = &timings});
    EXPECT_THAT(adapted.notes.back(),
                ::testing::StartsWith("mean penalty on the profile: model 0 %, file "))
        << target.name;
  }
}

TEST(MadeUpTimings, WhatCannotBeLeftInPartIsLeftAsAWhole) {
  const RuleTarget& intel = find_rule_target("intel");
  const model::RuleTree tree = testing::two_leaves(Collective::kBcast, Attribute::kMessageSize, 64,
                                                   library_default(), {"binomial", 0});
  const Adapted left = adapt_rules(tree, intel, {});
  EXPECT_EQ(intel.write(left.keyed, "made up"), "# made up\n");
  EXPECT_THAT(left.notes,
              ::testing::Contains(::testing::StartsWith(
                  "bcast: rules of intel hold for every size; the library's own choice, which")));
  const Adapted replaced = adapt_rules(tree, intel, {.replace_default = true});
  EXPECT_EQ(intel.write(replaced.keyed, "made up"), "# made up\nexport I_MPI_ADJUST_BCAST=\"1\"\n");
}

TEST(MadeUpTimings, WhatTheLossOfRanksPerNodeCostsIsSaid) {
  const std::vector<Timings> timings = made_up(
      "s,m,bcast,8,8,1,64,linear,0,,1\ns,m,bcast,8,8,1,64,binomial,0,,2\n"
      "s,m,bcast,8,1,8,64,linear,0,,3\ns,m,bcast,8,1,8,64,binomial,0,,2\n");
  const model::RuleTree tree = testing::two_leaves(Collective::kBcast, Attribute::kRanksPerNode, 1,
                                                   {"linear", 0}, {"binomial", 0});
  const Adapted adapted = adapt_rules(tree, find_rule_target("openmpi-4.1"), {.timings = &timings});
  EXPECT_THAT(adapted.notes,
              ::testing::ElementsAre(
                  "bcast: openmpi-4.1 cannot ask for ranks per node; the rules are those for 1 "
                  "(--ranks-per-node chooses); mean penalty +25 %",
                  "mean penalty on the profile: model 0 %, file 25 % (2 instances)"));
}

TEST(RealTimings, WhatSafetyCostsIsSaid) {
  for (const Timings& one : timings_of(kSources[0])) {
    if (one.collective != Collective::kReduce) continue;
    const std::vector<Timings> timings = {one};
    const RuleTarget& target = find_rule_target("openmpi-4.1");
    const Adapted adapted = adapt_rules(exact_tree(one), target, {.timings = &timings});
    const RulePenalty safe = rule_penalty(adapted.keyed, timings, &target, RuleUnit::kKey);
    EXPECT_GT(safe.mean, model_mean(one, exact_tree(one)));
    std::string notes;
    for (const std::string& note : adapted.notes) notes += note + "\n";
    EXPECT_NE(notes.find("replaced: reduce chain gives wrong results"), std::string::npos) << notes;
    EXPECT_NE(notes.find("mean penalty +"), std::string::npos) << notes;
  }
}

}  // namespace
}  // namespace colltree::rules
