// SPDX-License-Identifier: BSD-3-Clause
// Real timings (tests/data) -> exact trees -> Open MPI rules: the file, read by our reader, costs
// on the timings what the model does; safe files cost more and say so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "emit/rules/adapt.h"
#include "evaluate/penalty.h"
#include "model/quadtree/grid_tree_model.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"

namespace colltree {
namespace {

struct Source {
  const char* file;
  const char* system;
  MessageSizeConvention convention;
};
constexpr Source kSources[] = {
    {"orfeo_epyc_openmpi_bcast_reduce", "orfeo-epyc-core", MessageSizeConvention::kBlock},
    {"marenostrum5_openmpi_8coll", "marenostrum5", MessageSizeConvention::kTotal}};

std::vector<Timings> timings_of(const Source& source) {
  Profile profile(fresh_path(std::string(source.file) + ".db"), OpenMode::kWrite);
  const auto path = std::filesystem::path(COLLTREE_SOURCE_DIR) / "tests/data" /
                    (std::string(source.file) + ".csv.gz");
  import_csv(profile, read_file(path), path.string(), {source.convention});
  std::vector<Timings> all;
  for (const CollectiveInfo& info : all_collectives()) {
    if (auto one = find_timings(profile, source.system, info.collective)) {
      all.push_back(std::move(*one));
    }
  }
  return all;
}

RuleTree exact_tree(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  const LabelGrid grid = make_label_grid(map);
  return GridTreeModel(origin_of({timings}), grid, {}).lower();
}

double model_penalty(const Timings& timings, const RuleTree& tree) {
  const auto choose = [&](const Instance& at) { return decide(tree, at); };
  return summarize(penalty_points(timings, choose)).mean;
}

TEST(RealTimings, TheFileCostsWhatTheModelCosts) {
  std::size_t compared = 0;
  for (const Source& source : kSources) {
    for (const Timings& one : timings_of(source)) {
      const RuleTree tree = exact_tree(one);
      const std::vector<Timings> timings = {one};
      for (const char* name_of_target : {"openmpi-4.1", "openmpi-5.0.7", "openmpi-6"}) {
        const RuleTarget& target = find_rule_target(name_of_target);
        const Adapted adapted =
            adapt_rules(tree, target, {.allow_unsafe = true, .timings = &timings});
        const RuleFile file = check_rules(target, target.write(target, adapted.keyed, "test"));
        const RulePenalty penalty = file_penalty(target, file.rules, timings);
        EXPECT_DOUBLE_EQ(penalty.mean, model_penalty(one, tree))
            << source.system << ' ' << name(one.collective) << ' ' << target.name;
        EXPECT_GT(penalty.instances, 0U);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 3U * 9);
}

TEST(RealTimings, WhatSafetyCostsIsSaid) {
  for (const Timings& one : timings_of(kSources[0])) {
    if (one.collective != Collective::kReduce) continue;
    const std::vector<Timings> timings = {one};
    const RuleTarget& target = find_rule_target("openmpi-4.1");
    const Adapted adapted = adapt_rules(exact_tree(one), target, {.timings = &timings});
    const RulePenalty safe = file_penalty(target, adapted.keyed, timings);
    EXPECT_GT(safe.mean, model_penalty(one, exact_tree(one)));
    std::string notes;
    for (const std::string& note : adapted.notes) notes += note + "\n";
    EXPECT_NE(notes.find("replaced: reduce chain gives wrong results"), std::string::npos) << notes;
    EXPECT_NE(notes.find("mean penalty +"), std::string::npos) << notes;
  }
}

}  // namespace
}  // namespace colltree
