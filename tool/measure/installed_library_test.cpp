// SPDX-License-Identifier: BSD-3-Clause
// What jobs are started with, who they say was measured, and what is stored of their reports.
#include "measure/installed_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/test_scratch.h"
#include "measure/driver.h"
#include "measure/grid.h"
#include "measure/stored_part.h"

namespace colltree::measure {

namespace {

using Words = std::vector<std::string>;

// A word as a shell takes it apart again.
std::string shell_quoted(const std::string& word, bool single) {
  std::string text(1, single ? '\'' : '"');
  for (const char c : word) {
    if (single && c == '\'') {
      text += "'\\''";
      continue;
    }
    if (!single && (c == '"' || c == '\\')) text += '\\';
    text += c;
  }
  return text + (single ? '\'' : '"');
}

TEST(Launcher, QuotedWordsComeBack) {
  SeededRandom random(2);
  constexpr std::string_view kLetters = "ab \t'\"\\{}$";
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words(1 + random.below(4));
    std::string line;
    for (std::string& word : words) {
      for (std::size_t i = random.below(6); i > 0; --i) word += kLetters[random.below(10)];
      line += std::string(random.below(3), ' ') + shell_quoted(word, random.below(2) == 0) + " ";
    }
    ASSERT_EQ(split_command(line), words) << line;
  }
}

TEST(Launcher, WhatIsNoCommandBlamesItsOption) {
  EXPECT_EQ(error_of([] { split_command("a \"b", "--batch"); }),
            "--batch: the quote \" is not closed");
  EXPECT_EQ(split_command("a\\"), Words{"a\\"}) << "nothing to escape";
}

TEST(Launcher, RanksAreFilledInWhereverTheyStand) {
  EXPECT_EQ(with_ranks({"mpirun", "-np", "{ranks}", "--x={ranks}/{ranks}", "{rank}"}, 128),
            (Words{"mpirun", "-np", "128", "--x=128/128", "{rank}"}));
}

TEST(Launcher, OpenMpiIsStartedSoThatAlgorithmsCanBeChosen) {
  const protocol::PlanCell tuned{{Collective::kBcast, 8, 64}, {"binomial", 0}};
  EXPECT_EQ(start_settings(Library::kOpenmpi, tuned),
            Words{"OMPI_MCA_coll_tuned_use_dynamic_rules=1"});
  EXPECT_EQ(start_settings(Library::kMpich, tuned), Words());
}

TEST(LaunchedSystem, IsTheHostWithoutItsDomain) {
  const profile::SystemInfo own =
      launched_system("login1.cluster.org", "mpich", "mpich-4.1", Library::kMpich);
  EXPECT_EQ(own.name, "login1-mpich-own");
  EXPECT_EQ(own.mpi, "mpich-4.1");
  EXPECT_EQ(own.provenance, profile::kProvenanceMeasured);
  EXPECT_EQ(launched_system("node", "openmpi", "", std::nullopt).name, "node-openmpi");
}

// Each of these changes times, so each is another campaign.
TEST(LaunchedOptions, HoldAllThatChangesATimeAndNoMore) {
  const protocol::StopRule rule{.min_samples = 5, .max_samples = 50, .warm_up = 2};
  const auto options = [](const protocol::StopRule& stop, const std::string& launcher = "srun",
                          std::optional<Library> library = std::nullopt) {
    return launched_options("launcher", stop, launcher, library);
  };
  EXPECT_EQ(Json::parse(options(rule)), (Json{{"driver", "launcher"},
                                              {"min_samples", 5},
                                              {"max_samples", 50},
                                              {"max_half_width", 0.05},
                                              {"confidence", 0.95},
                                              {"cell_budget_s", 1.0},
                                              {"warm_up", 2},
                                              {"launcher", "srun"}}));
  std::set<std::string> different = {options(rule)};
  const auto add = [&](const auto& change) {
    protocol::StopRule other = rule;
    change(other);
    different.insert(options(other));
  };
  add([](protocol::StopRule& r) { r.min_samples = 6; });
  add([](protocol::StopRule& r) { r.max_samples = 51; });
  add([](protocol::StopRule& r) { r.max_half_width = 0.1; });
  add([](protocol::StopRule& r) { r.confidence = 0.9; });
  add([](protocol::StopRule& r) { r.cell_budget_s = 2; });
  add([](protocol::StopRule& r) { r.warm_up = 3; });
  add([](protocol::StopRule& r) { r.max_foreign_load = 0.1; });
  different.insert(options(rule, "mpirun"));
  different.insert(options(rule, "srun", Library::kOpenmpi));
  different.insert(options(rule, "srun", Library::kMpich));
  EXPECT_EQ(different.size(), 11U);
}

TEST(StoredCell, OfATimeHasWhereItsRanksLay) {
  protocol::CellResult measured{.cell = {{Collective::kReduce, 8, 4096}, {"binary", 1024}},
                                .count = 1024,
                                .type_size = 4,
                                .layout = {2, 4},
                                .samples_us = {5, 3}};
  const profile::Cell cell = stored_cell(measured);
  EXPECT_EQ(cell.key.instance, (Instance{Collective::kReduce, 8, 4096, 2, 4}));
  EXPECT_EQ(cell.key.count, 1024U);
  EXPECT_EQ(cell.key.type_size, 4U);
  EXPECT_EQ(cell.key.method, (Method{"binary", 1024}));
  EXPECT_EQ(cell.status, profile::CellStatus::kOk);
  EXPECT_EQ(cell.samples, (std::vector<profile::Sample>{{0, 5}, {1, 3}}));
  EXPECT_FALSE(profile::is_disturbed(cell));
  measured.foreign_load = 0.123;
  EXPECT_EQ(stored_cell(measured).reason, "others used 12 % of the cores");
  EXPECT_TRUE(profile::is_disturbed(stored_cell(measured)));
  measured.shared_cores = 2;
  EXPECT_EQ(stored_cell(measured).reason,
            "others used 12 % of the cores, 4 ranks shared 2 cores of a node");
  measured.foreign_load = 0;
  EXPECT_EQ(stored_cell(measured).reason, "4 ranks shared 2 cores of a node");
  EXPECT_TRUE(profile::is_disturbed(stored_cell(measured)));
}

TEST(StoredCell, OfAFailureSaysWhy) {
  const protocol::PlanCell cell{{Collective::kBcast, 8, 64, 2, 4}, {"chain", 0}};
  const profile::Cell failed = stored_cell(failed_cell(cell, "died", false));
  EXPECT_EQ(failed.status, profile::CellStatus::kFailed);
  EXPECT_EQ(failed.reason, "died");
  EXPECT_EQ(failed.key.instance, (Instance{Collective::kBcast, 8, 64, 2, 4}));
  EXPECT_TRUE(failed.samples.empty());
  EXPECT_EQ(stored_cell(failed_cell(cell, "odd", true)).status, profile::CellStatus::kCannotRun);
}

TEST(Grid, InstancesAreGroupedByCommunicatorAndABarrierHasNoSizes) {
  const Grid grid{{2, 4}, {1, 8}};
  EXPECT_EQ(instances_of({Collective::kBcast, Collective::kBarrier}, grid),
            (std::vector<Instance>{{Collective::kBcast, 2, 1},
                                   {Collective::kBcast, 2, 8},
                                   {Collective::kBarrier, 2, 0},
                                   {Collective::kBcast, 4, 1},
                                   {Collective::kBcast, 4, 8},
                                   {Collective::kBarrier, 4, 0}}));
}

TEST(LibrarySurvey, IsReadFromTheProgramsLines) {
  const LibrarySurvey survey = parse_survey("bcast 0 ignore\nbcast 6 binomial\nnoise\nfoo 1 x\n");
  ASSERT_EQ(survey.size(), 1U);
  EXPECT_EQ(survey.at(Collective::kBcast).at("binomial"), 6);
}

TEST(JobLayout, IsReadFromTheProgramsLine) {
  const protocol::JobLayout layout = parse_layout("noise\nlayout 4 8\n");
  EXPECT_EQ(layout.nodes, 4U);
  EXPECT_EQ(layout.ranks_per_node, 8U);
  for (const char* text : {"", "layout\n", "layout 4\n", "layout 0 8\n", "layout 4 x\n"}) {
    try {
      parse_layout(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "the job did not say where its ranks lie; measure without --ranks-per-node");
    }
  }
}

TEST(LibrarySurvey, AgreesWithTheTableWhereNamesAndNumbersDo) {
  const LibrarySurvey survey = parse_survey("allgatherv 1 default\nreduce 6 in-order_binary\n");
  EXPECT_TRUE(table_differences(Library::kOpenmpi, survey).empty());
}

// As 4.2.1 numbers them; what stood at 4 in 4.0.2 is at 5.
TEST(LibrarySurvey, NumbersOfMpichAreItsOwn) {
  const LibrarySurvey survey = parse_survey(
      "allgather 0 auto\nallgather 2 k_brucks\nallgather 5 ring\nallgather 1 nb_sched_auto\n"
      "allgather 3 nb_sched_brucks\nbcast 6 nb_tsp_tree\nbcast 99 magic\n");
  EXPECT_THAT(
      table_differences(Library::kMpich, survey),
      testing::ElementsAre("bcast algorithm 99 (magic) is not in colltree's table; measured as "
                           "unknown_magic, never emitted"));
}

TEST(LibrarySurvey, WhatTheTableHasNotIsMeasuredUnderAMarkedName) {
  const LibrarySurvey survey = parse_survey(
      "bcast 0 ignore\nbcast 6 binomial\nbcast 5 renamed\nbcast 99 magic\nbcast 3 nb_magic\n");
  EXPECT_THAT(unknown_algorithms(Library::kOpenmpi, Collective::kBcast, survey),
              testing::ElementsAre("unknown_magic"));
  EXPECT_THAT(unknown_algorithms(Library::kMpich, Collective::kBcast, survey),
              testing::UnorderedElementsAre("unknown_magic", "unknown_renamed"));
  EXPECT_TRUE(unknown_algorithms(Library::kMpich, Collective::kScan, survey).empty());
}

TEST(LibrarySurvey, NamesWhatTheTableHasNot) {
  const LibrarySurvey survey = parse_survey("bcast 6 knomial\nbcast 99 magic\n");
  EXPECT_THAT(table_differences(Library::kOpenmpi, survey),
              testing::UnorderedElementsAre(
                  "bcast algorithm 6 is knomial, binomial in colltree's table",
                  "bcast algorithm 99 (magic) is not in colltree's table; measured as "
                  "unknown_magic, never emitted"));
}

}  // namespace

}  // namespace colltree::measure
