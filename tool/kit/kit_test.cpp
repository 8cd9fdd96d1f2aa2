// SPDX-License-Identifier: BSD-3-Clause
// A kit without a cluster: its files and texts, and what comes of results in a profile. A whole
// kit, built and run, is tests/kit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/input.h"
#include "base/test_paths.h"
#include "base/test_scratch.h"
#include "base/text.h"
#include "kit/import_results.h"
#include "kit/kit_files.h"
#include "kit/kit_format.h"
#include "protocol/report_line.h"

namespace colltree::kit {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Method kLinear{"linear", 0};
const protocol::PlanCell kCell{{Collective::kBcast, 4, 1024}, kLinear};
const protocol::PlanCell kNext{{Collective::kBcast, 4, 2048}, kLinear};

KitPlan small_plan() {
  KitPlan kit{"0.1.0", 30, true, {}};
  kit.plan.stop = {5, 50, 0.05, 0.95, 0.5, 2, 0.1};
  kit.plan.cells = {kCell, kNext};
  return kit;
}

ResultsHead small_head() {
  return {"0.1.0",
          "2026-11-21T08:52:00Z",
          "login1.cluster",
          "srun -n {ranks}",
          "Open MPI v4.1.4, package: Debian",
          "portable",
          {5, 50, 0.05, 0.95, 0.5, 2, 0.1},
          2};
}

protocol::CellResult measured(const protocol::PlanCell& cell, std::vector<double> times_us) {
  return {cell, 1024, 1, 2, 2, std::move(times_us), 0, 0};
}

std::string results(std::string lines) { return write_results_head(small_head()) + lines; }

profile::ImportReport import_text(profile::Profile& into, const std::string& text) {
  const profile::CsvLines lines = [&](const std::function<void(std::string_view)>& take) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      take(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end == std::string::npos ? end : end + 1));
    }
  };
  return import_kit_results(into, lines, "r", std::nullopt);
}

std::string refusal(const std::string& text) {
  profile::Profile profile(fresh_path("refused.db"), profile::OpenMode::kWrite);
  return error_of([&] { import_text(profile, text); });
}

TEST(KitPlan, IsReadBackAsItWasWritten) {
  const KitPlan kit = small_plan();
  const KitPlan back = read_kit_plan(write_kit_plan(kit), "plan");
  EXPECT_EQ(back.made_by, kit.made_by);
  EXPECT_EQ(back.silence_limit_s, 30);
  EXPECT_TRUE(back.unknown);
  EXPECT_EQ(back.plan.cells, kit.plan.cells);
  EXPECT_EQ(back.plan.stop, kit.plan.stop);
}

TEST(KitPlan, RefusesWhatIsNone) {
  const auto refused = [](const std::string& text) {
    return error_of([&] { read_kit_plan(text, "plan"); });
  };
  EXPECT_EQ(refused("hello\n"), "plan:1: expected colltree-kit-plan 1, got 'hello'");
  EXPECT_EQ(refused("colltree-kit-plan 1\nmade_for x\n"),
            "plan:2: expected made_by, got 'made_for x'");
  EXPECT_EQ(refused("colltree-kit-plan 1\nmade_by 1\nsilence_limit_s x\n"),
            "plan:3: expected a number, got 'x'");
}

TEST(KitFiles, AreTheSourcesThatTheMeasuringProgramNeeds) {
  std::vector<std::string> names;
  for (const ArchiveFile& file : kit_files(testing::source_dir(), small_plan())) {
    names.push_back(file.name);
    for (const char* other : {"fmt/", "zlib", "simgrid/", "xxhash"})
      EXPECT_THAT(file.content, Not(HasSubstr(std::string("#include <") + other))) << file.name;
  }
  for (const char* name :
       {"Makefile", "plan", "LICENSE", "libs/mpi/rank/main_mpi.cpp", "tool/kit/kit_main.cpp",
        "libs/mpi/algorithms/rabenseifner.cpp", "libs/core/coll/openmpi_han.def"})
    EXPECT_THAT(names, Contains(std::string("colltree-kit/") + name));
}

TEST(KitFiles, NamesWhatIsMissing) {
  EXPECT_THAT(error_of([] { kit_files("/no/such/root", small_plan()); }),
              StartsWith("/no/such/root/libs/mpi/rank/main_mpi.cpp: "));
}

TEST(Archive, RefusesANameThatTarCannotHold) {
  EXPECT_THAT(error_of([] { tar_gz({{std::string(101, 'x'), ""}}); }), HasSubstr("too long"));
}

TEST(KitResults, BecomeTheSystemAndTheCellsOfAMeasurement) {
  profile::Profile profile(fresh_path("kit.db"), profile::OpenMode::kWrite);
  const profile::ImportReport report = import_text(
      profile, results(protocol::report_line(measured(kCell, {1.5, 2})) +
                       protocol::report_line(protocol::failed_cell(kNext, "needs more", true))));
  EXPECT_EQ(report.rows, 2U);
  EXPECT_FALSE(report.known);
  const profile::StoredCampaign campaign = profile.campaigns().at(0);
  EXPECT_EQ(campaign.info.system,
            (profile::SystemInfo{"login1-openmpi", profile::kProvenanceMeasured, "openmpi-4.1.4",
                                 "", ""}));
  EXPECT_THAT(campaign.info.options, HasSubstr("\"driver\":\"kit\""));
  EXPECT_THAT(campaign.info.options, HasSubstr("\"launcher\":\"srun -n {ranks}\""));
  EXPECT_EQ(campaign.info.host, "login1.cluster");
  const std::vector<profile::Cell> cells = profile.cells(campaign.id);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].status, profile::CellStatus::kOk);
  EXPECT_EQ(profile::times_us(cells[0]), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(cells[0].key.instance.nodes, 2U);
  EXPECT_EQ(cells[1].status, profile::CellStatus::kCannotRun);
}

TEST(KitResults, AreContinuedByTheSameFileGrownLonger) {
  profile::Profile profile(fresh_path("grown.db"), profile::OpenMode::kWrite);
  const std::string first = results(protocol::report_line(measured(kCell, {1})));
  EXPECT_EQ(import_text(profile, first).left_out.size(), 1U);
  EXPECT_TRUE(import_text(profile, first).known);
  const profile::ImportReport longer =
      import_text(profile, first + protocol::report_line(measured(kNext, {3})));
  EXPECT_FALSE(longer.known);
  EXPECT_TRUE(longer.left_out.empty());
  ASSERT_EQ(profile.campaigns().size(), 1U);
  EXPECT_EQ(profile.cells(profile.campaigns()[0].id).size(), 2U);
}

TEST(KitResults, MayEndInALineThatAKillCutOff) {
  profile::Profile profile(fresh_path("cut.db"), profile::OpenMode::kWrite);
  const std::string whole = results(protocol::report_line(measured(kCell, {1})));
  EXPECT_EQ(import_text(profile, whole + "@colltree {\"event\":\"meas").rows, 1U);
  EXPECT_EQ(refusal(whole + "@colltree {\"event\":\"meas\n" +
                    protocol::report_line(measured(kNext, {1}))),
            "r:11: expected a report line, got '@colltree {\"event\":\"meas'");
}

TEST(KitResults, AreRefusedWhereTheyAreDamaged) {
  EXPECT_EQ(refusal(""),
            "r:1: expected colltree-kit-results 1, got 'nothing: the file is cut off'");
  EXPECT_EQ(refusal("colltree-kit-results 2\n"),
            "r:1: expected colltree-kit-results 1, got 'colltree-kit-results 2'");
  EXPECT_EQ(refusal("colltree-kit-results 1\nmade_by 1\n"),
            "r:3: expected started, got 'nothing: the file is cut off'");
  EXPECT_EQ(refusal(results("")), "r: no cell is measured in it yet; run the kit again");
  std::string stop = results("");
  stop.replace(stop.find("stop 5"), 6, "stop x");
  EXPECT_EQ(refusal(stop + protocol::report_line(measured(kCell, {1}))),
            "r:8: expected the stop rule, got 'x 50 0.05 0.95 0.5 2 0.1'");
  ResultsHead head = small_head();
  head.source = "portable\nstop 5 50 0.05 0.95 x 2 0.1";
  EXPECT_EQ(refusal(write_results_head(head)),
            "r:9: expected cells, got 'stop 5 50 0.05 0.95 0.5 2 0.1'");
  EXPECT_EQ(refusal(results(protocol::report_line(measured(kCell, {})))),
            "r:10: expected times from 1e-06 to 1e+15, got 'those of bcast 4 1024 linear 0'");
  EXPECT_EQ(refusal(results(protocol::report_line(measured(kCell, {-1})))),
            "r:10: expected times from 1e-06 to 1e+15, got 'those of bcast 4 1024 linear 0'");
  protocol::CellResult nowhere = measured(kCell, {1});
  nowhere.layout.nodes = 0;
  EXPECT_EQ(refusal(results(protocol::report_line(nowhere))),
            "r:10: expected nodes and ranks per node, got 'those of bcast 4 1024 linear 0'");
}

TEST(KitResults, OfTwoSourcesAreNotMixed) {
  profile::Profile profile(fresh_path("mixed.db"), profile::OpenMode::kWrite);
  const std::string lines = protocol::report_line(measured(kCell, {1}));
  import_text(profile, results(lines));
  ResultsHead own = small_head();
  own.host = "login1";
  own.source = "openmpi";
  import_text(profile, write_results_head(own) + lines);  // login1-openmpi-own
  EXPECT_EQ(profile.systems().size(), 2U);
}

TEST(Recorder, ContinuesWhereAKillCutALineOff) {
  const auto file = fresh_path("run.results").string();
  write_file(file,
             results(protocol::report_line(measured(kCell, {1}))) + "@colltree {\"event\":\"beg");
  Recorder recorder(file, small_head());
  EXPECT_THAT(recorder.done(), ::testing::ElementsAre("bcast 4 1024 linear 0"));
  recorder.keep("@colltree {\"event\":\"done\"}");
  EXPECT_EQ(read_file(file), results(protocol::report_line(measured(kCell, {1}))) +
                                 "@colltree {\"event\":\"done\"}\n");
}

TEST(Recorder, RefusesAFileOfAnotherRun) {
  const auto file = fresh_path("other.results").string();
  Recorder(file, small_head());
  ResultsHead other = small_head();
  other.host = "login2";
  other.started_utc = "later";
  EXPECT_EQ(error_of([&] { Recorder(file, other); }), "no error");
  other.launcher = "mpirun -np {ranks}";
  EXPECT_EQ(error_of([&] { Recorder(file, other); }),
            file +
                ": was measured with the launcher 'srun -n {ranks}', not 'mpirun -np {ranks}'; "
                "give another file by --output");
  for (const std::string text : {"shopping list\n", "shopping list"}) {
    write_file(file, text);
    EXPECT_EQ(error_of([&] { Recorder(file, other); }),
              file + ":1: expected colltree-kit-results 1, got 'shopping list'");
    EXPECT_EQ(read_file(file), text);
  }
}

}  // namespace
}  // namespace colltree::kit
