// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_scratch.h"
#include "cli/tune_by_jobs.h"
#include "deploy/tuning.h"
#include "rules/rule_target.h"

namespace colltree::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// linear takes half of the library's own choice, on 4 ranks.
void add(deploy::Tuning& tuning, Collective collective, const Method& deployed) {
  Timings timings{.system = "s", .provenance = "measured", .collective = collective};
  timings.methods = {{"linear", 0}, library_default()};
  for (const std::uint64_t bytes : {1, 1024}) {
    timings.instances.push_back({collective, 4, bytes});
    timings.time_us.push_back(10);
    timings.time_us.push_back(20);
    timings.default_us.push_back(20);
  }
  model::RuleTree tree = model::one_leaf(collective, deployed);
  tuning.timings.push_back(timings);
  tuning.fitted.push_back({std::string(name(collective)), "rules",
                           model::rules_model({"s", "measured", {collective}, 2}, tree), 0, true});
}

deploy::Tuning tuning_of(const std::string& provenance) {
  deploy::Tuning tuning;
  tuning.system.name = "s";
  tuning.system.provenance = provenance;
  tuning.system.mpi = "openmpi-4.1.4";
  return tuning;
}

void load_rules(deploy::Tuning& tuning, const std::string& target) {
  tuning.rules_target = &rules::find_rule_target(target);
  tuning.rules[0].push_back({tuning.rules_target, "/t/rules." + target});
}

TEST(TuneVerdict, SaysWhatIsDeployedHowToLoadAndHowToUndoIt) {
  deploy::Tuning tuning = tuning_of("measured");
  add(tuning, Collective::kBcast, {"linear", 0});
  add(tuning, Collective::kReduce, library_default());
  tuning.unmeasured = {Collective::kAlltoall};
  load_rules(tuning, "openmpi-4.1");
  tuning.kept_gain = evaluate::Gain{1.308, {1.12, 1.52}};
  tuning.kept_instances = 24;
  EXPECT_THAT(
      verdict_lines({"t", "", "mpirun -np {ranks}", ""}, tuning),
      ElementsAre(
          "Verdict for s (measured, openmpi-4.1.4); what is expected is of the sizes of the grid:",
          "  collective           sizes      default us  best one method      deployed        "
          " beside default",
          "  bcast                1B..1K             20  Linear_0K            Linear_0K        -50 "
          "% "
          "(-50..-50)",
          "        left to the library: reduce, alltoall (not measured)",
          "  gain  time beside the default: bcast -50 %",
          "        verified: 1.31 times as fast (95 %: 1.12 to 1.52) at 24 instances",
          "  risk  over 2 % slower at: bcast 0 % of the sizes",
          "  load  export OMPI_MCA_coll_tuned_use_dynamic_rules=1",
          "        export OMPI_MCA_coll_tuned_dynamic_rules_filename=/t/rules.openmpi-4.1",
          "  undo  start jobs without these lines; nothing else is changed"));
}

TEST(TuneVerdict, IsOfTheExpectedFiguresWhereTheyAreKnown) {
  deploy::Tuning tuning = tuning_of("measured");
  add(tuning, Collective::kBcast, {"linear", 0});
  tuning.fitted[0].model.statistics.expectation =
      model::Expectation{.versus_default = -0.123, .share_slower = 0.045};
  tuning.run_time_file = "t/tuned.cdt";
  EXPECT_THAT(
      verdict_lines({"t", "", "mpirun -np {ranks}", ""}, tuning),
      ElementsAre(
          "Verdict for s (measured, openmpi-4.1.4); what is expected is of all sizes up to "
          "4 ranks:",
          "  collective           sizes      default us  best one method      deployed        "
          " beside default",
          "  bcast                1B..1K             20  Linear_0K            Linear_0K        -50 "
          "% (-50..-50)",
          "  gain  time beside the default: bcast -12 %",
          "        not verified: a method can have been the fastest by chance",
          "  risk  over 2 % slower at: bcast 4.5 % of the sizes",
          "  load  colltree run --model t/tuned.cdt -- mpirun -np 4 PROGRAM",
          "  undo  start programs without 'colltree run'; nothing else is changed"));
}

TEST(TuneVerdict, SimulatedTimesEndWithNotForDeployment) {
  deploy::Tuning tuning = tuning_of("simulated");
  add(tuning, Collective::kBcast, {"linear", 0});
  tuning.run_time_file = "t/tuned.cdt";
  const std::vector<std::string> lines = verdict_lines({"t", "", "", ""}, tuning);
  EXPECT_THAT(lines.back(), HasSubstr("not for deployment"));
  EXPECT_THAT(lines, ::testing::Each(::testing::Not(HasSubstr("colltree run"))));
}

TEST(TuneVerdict, BeginsWithNothingIsDeployed) {
  deploy::Tuning tuning = tuning_of("measured");
  add(tuning, Collective::kBcast, library_default());
  load_rules(tuning, "openmpi-4.1");
  EXPECT_THAT(
      verdict_lines({"t", "", "", ""}, tuning),
      ElementsAre("Nothing is deployed: by these times no method is better than the library's own "
                  "choice.",
                  "        /t/rules.openmpi-4.1 leaves every call to the library."));
  tuning.verified.push_back({});
  EXPECT_THAT(verdict_lines({"t", "", "", ""}, tuning).front(),
              HasSubstr("Nothing is deployed: the verification showed no gain over"));
  tuning.undecided = "3 of 4 cells were measured while others used the machine.";
  EXPECT_EQ(verdict_lines({"t", "", "", ""}, tuning).front(),
            "Nothing is deployed: " + tuning.undecided);
}

// The most that there can be: every collective, in jobs with several placements, under the rules
// of two components or of a device.
TEST(TuneVerdict, IsShort) {
  for (const auto& targets : std::vector<std::vector<std::string>>{
           {"openmpi-5.0.7", "openmpi-han"}, {"mpich-4.0"}, {"mpich-5.0"}}) {
    deploy::Tuning tuning = tuning_of("measured");
    for (const CollectiveInfo& info : all_collectives()) {
      const bool left = info.collective > Collective::kGather;
      add(tuning, info.collective, left ? library_default() : Method{"linear", 0});
    }
    tuning.kept_gain = evaluate::Gain{1.308, {1.12, 1.52}};
    tuning.kept_instances = 240;
    tuning.sessions = 12;
    for (const std::uint64_t ranks_per_node : {1, 64}) {
      for (const std::string& target : targets) {
        const rules::RuleTarget& found = rules::find_rule_target(target);
        const std::string file = fresh_path("rules." + target).string();
        write_file(file, found.write({}, ""));
        tuning.rules[ranks_per_node].push_back({&found, file});
      }
    }
    const std::vector<std::string> lines = verdict_lines({"t", "", "", ""}, tuning);
    EXPECT_LE(lines.size(), 12U) << lines.front();
    for (const std::string& line : lines) {
      const bool has_path = line.find('/') != std::string::npos;
      EXPECT_TRUE(has_path || line.size() <= 100) << line;
    }
    EXPECT_THAT(lines, ::testing::Contains(HasSubstr(" more"))) << "cut lists say so";
  }
}

// `auto` on a login node takes the sizes of the job that is asked for.
TEST(TuneByJobs, KnowWhatTheOptionsOfSbatchAllocate) {
  const auto text = [](const std::string& slurm) {
    const auto found = BatchOptions{.system = "slurm " + slurm}.allocation();
    return found ? measure::allocation_text(*found) : "";
  };
  EXPECT_EQ(text("-N 4 --ntasks-per-node=2"), "up to 8 ranks, 2 on a node, by --batch");
  EXPECT_EQ(text("-N 4 -n 6"), "up to 6 ranks, 2 on a node, by --batch");
  EXPECT_EQ(text("-N 4"), "up to 4 ranks, 1 on a node, by --batch");
  EXPECT_EQ(text("-n 6"), "up to 6 ranks, 6 on a node, by --batch");
  EXPECT_EQ(text("-p debug --time=30"), "");
}

}  // namespace
}  // namespace colltree::cli
