// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/error.h"
#include "base/test_scratch.h"
#include "coll/catalogue.h"
#include "profile/load_timings.h"
#include "protocol/report_line.h"
#include "surrogate/complete.h"

namespace colltree::measure {
namespace {

// A cluster that is a shell script: for each launch the next of `scripts` runs, with $PLAN the plan
// file.
class ScriptedDriver : public Driver {
 public:
  explicit ScriptedDriver(std::vector<std::string> scripts, bool retries = false)
      : scripts_(std::move(scripts)), retries_(retries) {}

  profile::SystemInfo system() const override {
    return {"scripted", profile::kProvenanceMeasured, "script-1", "", ""};
  }
  std::string options(const protocol::StopRule&) const override { return "{}"; }
  std::vector<std::string> command(const protocol::Plan&,
                                   const std::string& plan_file) const override {
    const std::size_t launch = std::min(launches_++, scripts_.size() - 1);
    return {"sh", "-c", "PLAN=" + plan_file + "\n" + scripts_[launch]};
  }
  protocol::JobLayout layout(std::uint64_t) const override { return {4, 4}; }
  bool is_on_one_node(std::uint64_t ranks) const override {
    asked_ranks_ = ranks;
    return is_one_node_;
  }
  void be_one_node() { is_one_node_ = true; }
  std::uint64_t asked_ranks() const { return asked_ranks_; }
  void arrange(std::vector<protocol::PlanCell>& cells) const override {
    std::ranges::stable_sort(
        cells, {}, [this](const protocol::PlanCell& cell) { return start_setting(cell); });
  }
  protocol::StopRule job_stop_rule(const protocol::StopRule& stop) const override { return stop; }
  std::vector<double> samples(const protocol::PlanCell&, std::vector<double> reported,
                              const protocol::StopRule&) const override {
    return reported;
  }
  double cost_s(const protocol::PlanCell&, double time_us,
                const protocol::StopRule&) const override {
    return time_us / 1e6;
  }
  bool retries() const override { return retries_; }
  std::string default_name() const override { return "script"; }
  std::string start_setting(const protocol::PlanCell& cell) const override {
    const std::string setting(setting_of(cell.method));
    return setting.empty() && cell.method.algorithm == own_job_ ? "A=1" : setting;
  }
  std::span<const Setting> settings() const override { return settings_; }
  void measure_under(Setting setting) { settings_.push_back(std::move(setting)); }
  void give_own_job(std::string algorithm) { own_job_ = std::move(algorithm); }
  std::size_t launches() const { return launches_; }

 private:
  std::vector<std::string> scripts_;
  bool retries_;
  std::string own_job_ = "none";
  std::vector<Setting> settings_;
  mutable std::size_t launches_ = 0;
  bool is_one_node_ = false;
  mutable std::uint64_t asked_ranks_ = 0;
};

// Shell that says that the ranks run, under this library.
std::string started(const std::string& mpi_library) {
  return R"(echo '@colltree {"event":"started","mpi_library":")" + mpi_library +
         R"(","host":"n1","ranks":4,"nodes":1,"ranks_per_node":4,"clock_error_us":0}')" + "\n";
}

// Shell that answers every cell of the plan; `condition` is tested with $cell before each.
std::string answer_all(const std::string& condition = "") {
  return R"(
grep -E '^(bcast|reduce) ' $PLAN | while read -r cell; do
  echo "@colltree {\"event\":\"begun\",\"cell\":\"$cell\"}"
  )" + condition +
         R"(
  echo "@colltree {\"event\":\"measured\",\"cell\":\"$cell\",\"count\":1,\"type_size\":1,\"nodes\":1,\"ranks_per_node\":1,\"samples_us\":[2.5],\"discarded\":0}"
  echo "@colltree {\"event\":\"checkpoint\"}"
done || exit 3
echo '@colltree {"event":"done"}'
)";
}

CampaignRequest small_request() {
  CampaignRequest request;
  request.collectives = {Collective::kBcast};
  request.grid = {{2, 4}, {1, 4096}};
  request.methods = "linear,binomial,default";
  request.segment_sizes = {0, 1024};
  return request;
}

class CampaignTest : public ::testing::Test {
 protected:
  void SetUp() override { path_ = fresh_path("campaign.db"); }
  CampaignOutcome run(const Driver& driver, const CampaignRequest& request = small_request()) {
    profile::Profile profile(path_, profile::OpenMode::kWrite);
    return run_campaign(request, driver, profile);
  }
  std::size_t stored(profile::CellStatus status) {
    profile::Profile profile(path_, profile::OpenMode::kRead);
    std::size_t count = 0;
    for (const profile::StoredCampaign& campaign : profile.campaigns()) {
      for (const profile::Cell& cell : profile.cells(campaign.id))
        count += cell.status == status ? 1 : 0;
    }
    return count;
  }
  std::filesystem::path path_;
};

TEST(PlanCells, LeaveOutWhatDoesNotDiffer) {
  // Per communicator size: 1 B: linear, binomial, default; 4096 B: these and binomial 1K.
  EXPECT_EQ(plan_cells(small_request()).size(), 2U * (3 + 4));
}

TEST(PlanCells, GrigBcastIsTheGridOfThePaper) {
  CampaignRequest request;
  request.collectives = {Collective::kBcast};
  request.grid = find_grid("grig");
  request.segment_sizes.assign(paper_segment_sizes().begin(), paper_segment_sizes().end());
  std::set<Instance> instances;
  for (const protocol::PlanCell& cell : plan_cells(request)) instances.insert(cell.instance);
  EXPECT_EQ(instances.size(), 1248U);
}

TEST(PlanCells, EmptyOrUnsupportedIsAnError) {
  CampaignRequest request = small_request();
  request.grid.message_sizes.clear();
  EXPECT_EQ(error_of([&] { plan_cells(request); }),
            "the grid is empty: no method can run at any of its instances");
  request = small_request();
  request.collectives = {Collective::kGatherv};
  EXPECT_EQ(error_of([&] { plan_cells(request); }),
            "colltree has no method of its own for gatherv; --collective all measures the "
            "collectives that have one");
}

TEST(PlanCells, OfALibraryAreItsAlgorithmsAndTheDefault) {
  CampaignRequest request = small_request();
  request.library = Library::kMpich;
  request.methods = "";
  request.collectives = {Collective::kBarrier};
  const std::vector<protocol::PlanCell> cells = plan_cells(request);
  // A barrier has no message: nb, smp, dissemination (to 4.0), k_dissemination (from 4.1), recexch
  // (from 4.2) and the default at two communicator sizes; which of them the library has, the driver
  // says.
  EXPECT_EQ(cells.size(), 12U);
  for (const protocol::PlanCell& cell : cells) EXPECT_EQ(cell.instance.message_size, 0U);
}

// Shell that answers every cell of the plan with numbered lines, of which one does not arrive.
std::string answer_without(int lost) {
  return R"(
n=0
say() { n=$((n + 1)); [ $n = )" +
         std::to_string(lost) + R"( ] || echo "@colltree {\"event\":$1,\"line\":$n}"; }
grep -E '^bcast ' $PLAN | {
  say '"started","mpi_library":"script-1","host":"n1","ranks":4,"nodes":1,"ranks_per_node":4,"clock_error_us":0'
  while read -r cell; do
    say "\"begun\",\"cell\":\"$cell\""
    say "\"measured\",\"cell\":\"$cell\",\"count\":1,\"type_size\":1,\"nodes\":1,\"ranks_per_node\":1,\"samples_us\":[2.5],\"discarded\":0"
    say '"checkpoint"'
  done
  say '"done"'
}
)";
}

TEST_F(CampaignTest, NothingIsLostWhenALineIsMissing) {
  CampaignRequest request = small_request();
  request.grid = {{2}, {1}};
  request.system = "scripted";
  constexpr int kCells = 3;
  constexpr int kLines = 2 + 3 * kCells;
  for (int lost = 1; lost <= kLines; ++lost) {
    SCOPED_TRACE(lost);
    path_ = fresh_path("campaign.db");
    const std::string said = error_of([&] {
      const CampaignOutcome outcome =
          run(ScriptedDriver({answer_without(lost), answer_all()}), request);
      EXPECT_EQ(outcome.measured, kCells);
      EXPECT_EQ(stored(profile::CellStatus::kOk), kCells);
    });
    // Who the ranks are, or that the job came to its end, is not known.
    if (lost == 1) {
      EXPECT_EQ(said,
                "a piece of the job's output is missing before its first cell; the same command "
                "continues");
      EXPECT_EQ(stored(profile::CellStatus::kOk), 0U);
    } else if (lost == kLines) {
      EXPECT_EQ(said, "the job ended with no result between two cells; the same command continues");
    } else {
      EXPECT_EQ(said, "no error");
    }
    run(ScriptedDriver({answer_all()}), request);
    EXPECT_EQ(stored(profile::CellStatus::kOk), kCells);
  }
}

TEST_F(CampaignTest, SourcesAreNotMixedInOneSystem) {
  run(ScriptedDriver({answer_all()}));
  CampaignRequest request = small_request();
  request.library = Library::kOpenmpi;
  request.methods = "binomial";
  EXPECT_THAT(
      error_of([&] { run(ScriptedDriver({answer_all()}), request); }),
      testing::HasSubstr("holds timings of portable methods; give those of openmpi another"));
}

// bcast at two instances by a library's own methods and by ours.
class BothSourcesTest : public CampaignTest {
 protected:
  BothSourcesTest() {
    own_ = small_request();
    own_.grid = {{2}, {1, 4096}};
    ours_ = own_;
    own_.library = Library::kOpenmpi;
    own_.methods = "chain@fanout=2,default";
    own_.parameters.fanout = {2};
    own_.segment_sizes = {0};
    own_.system = "scripted-own";
  }
  BothOutcomes run_both(const Driver& driver) {
    profile::Profile profile(path_, profile::OpenMode::kWrite);
    return run_campaigns({own_, driver}, {ours_, driver}, profile);
  }
  // Cells of a system with this status.
  std::size_t stored_in(const std::string& system, profile::CellStatus status) {
    profile::Profile profile(path_, profile::OpenMode::kRead);
    std::size_t count = 0;
    for (const profile::StoredCampaign& campaign : profile.campaigns()) {
      if (campaign.info.system.name != system) continue;
      for (const profile::Cell& cell : profile.cells(campaign.id))
        count += cell.status == status ? 1 : 0;
    }
    return count;
  }
  CampaignRequest own_;
  CampaignRequest ours_;
};

TEST_F(BothSourcesTest, TakeTurnsInOneJobAndAreTwoSystems) {
  const std::string plan = fresh_path("plan-seen").string();
  const ScriptedDriver driver({"cp $PLAN " + plan + "\n" + answer_all()});
  const BothOutcomes outcomes = run_both(driver);
  EXPECT_EQ(driver.launches(), 1U);
  EXPECT_EQ(outcomes.library.system, "scripted-own");
  EXPECT_EQ(outcomes.library.measured, 4U);
  EXPECT_EQ(outcomes.portable.system, "scripted");
  EXPECT_EQ(outcomes.portable.measured, 7U);
  EXPECT_EQ(stored_in("scripted-own", profile::CellStatus::kOk), 4U);
  EXPECT_EQ(stored_in("scripted", profile::CellStatus::kOk), 7U);
  std::ifstream file(plan);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::HasSubstr("\nsource openmpi\n"));
  EXPECT_THAT(text, testing::HasSubstr("bcast 2 1 chain@fanout=2 0\n"
                                       "bcast 2 1 default -\n"
                                       "bcast 2 1 linear 0 portable\n"
                                       "bcast 2 1 binomial 0 portable\n"
                                       "bcast 2 1 default - portable\n"
                                       "bcast 2 4096 chain@fanout=2 0\n"));
}

TEST_F(BothSourcesTest, EachGoesOnAlone) {
  run_both(ScriptedDriver({answer_all()}));
  const ScriptedDriver none({"exit 9"});
  EXPECT_EQ(run(none, own_).already, 4U);
  EXPECT_EQ(run(none, ours_).already, 7U);
  EXPECT_EQ(none.launches(), 0U);
  ours_.grid.message_sizes.push_back(8192);
  const BothOutcomes more = run_both(ScriptedDriver({answer_all()}));
  EXPECT_EQ(more.library.already, 4U);
  EXPECT_EQ(more.library.measured, 0U);
  EXPECT_EQ(more.portable.measured, 4U);
}

TEST_F(BothSourcesTest, AFailureBelongsToTheSourceOfItsCell) {
  const std::string dies = answer_all("[ \"$cell\" = 'bcast 2 1 linear 0 portable' ] && exit 9");
  const BothOutcomes outcomes = run_both(ScriptedDriver({dies}, true));
  EXPECT_EQ(outcomes.portable.failed, 1U);
  EXPECT_EQ(outcomes.portable.measured, 6U);
  EXPECT_EQ(outcomes.library.failed, 0U);
  EXPECT_EQ(outcomes.library.measured, 4U);
  EXPECT_EQ(stored_in("scripted", profile::CellStatus::kFailed), 1U);
}

TEST_F(CampaignTest, AMethodThatDoesNotApplyIsRecordedAsThat) {
  const std::string script = R"(
grep -E '^bcast ' $PLAN | while read -r cell; do
  echo "@colltree {\"event\":\"failed\",\"cell\":\"$cell\",\"reason\":\"no\",\"cannot_run\":true}"
  echo "@colltree {\"event\":\"checkpoint\"}"
done
echo '@colltree {"event":"done"}'
)";
  const CampaignOutcome outcome = run(ScriptedDriver({script}));
  EXPECT_EQ(outcome.not_applicable, 14U);
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_EQ(outcome.measured, 0U);
  EXPECT_EQ(stored(profile::CellStatus::kCannotRun), 14U);
}

TEST_F(CampaignTest, StoresAndThenHasNothingToDo) {
  const ScriptedDriver driver({answer_all()});
  const CampaignOutcome first = run(driver);
  EXPECT_EQ(first.measured, 14U);
  const CampaignOutcome second = run(driver);
  EXPECT_EQ(second.already, 14U);
  EXPECT_EQ(second.measured, 0U);
  EXPECT_EQ(driver.launches(), 1U);
  EXPECT_EQ(stored(profile::CellStatus::kOk), 14U);
}

TEST_F(CampaignTest, ACellThatKillsTheJobTwiceIsFailedAndTheRestGoesOn) {
  const ScriptedDriver driver({answer_all("[ \"$cell\" = 'bcast 4 1 binomial 0' ] && exit 9")},
                              true);
  const CampaignOutcome outcome = run(driver);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(outcome.measured, 13U);
  EXPECT_EQ(driver.launches(), 3U);
  EXPECT_EQ(stored(profile::CellStatus::kFailed), 1U);
}

TEST_F(CampaignTest, AJobHitOnceIsTriedAgain) {
  const ScriptedDriver driver(
      {answer_all("[ \"$cell\" = 'bcast 4 1 binomial 0' ] && exit 9"), answer_all()}, true);
  EXPECT_EQ(run(driver).failed, 0U);
  EXPECT_EQ(stored(profile::CellStatus::kOk), 14U);
}

TEST_F(CampaignTest, ASimulatorThatIsKilledAtItsStartHasARemedy) {
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({"echo 'out of memory' >&2; kill -6 $$"})); }),
            "out of memory: the job did not start; if that passes, the same command continues");
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({"echo 'give a zone' >&2; exit 1"})); }),
            "give a zone");
}

TEST_F(CampaignTest, ALauncherThatIsNoneIsSaidOnce) {
  const ScriptedDriver driver({"echo 'cannot start mpirun: no such file' >&2; exit 127"}, true);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(error_of([&] { run(driver); }),
            "cannot start mpirun: no such file: the job did not start; if that passes, the same "
            "command continues");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::Not(::testing::HasSubstr("cannot start")));
}

TEST_F(CampaignTest, AJobThatCannotStartSaysWhyAndLosesNothing) {
  const ScriptedDriver driver({"echo 'no slots' >&2; exit 1"}, true);
  EXPECT_EQ(error_of([&] { run(driver); }),
            "no slots: the job did not start; if that passes, the same command continues");
  EXPECT_EQ(
      error_of([&] {
        run(ScriptedDriver({"echo 'There are not enough slots in the system.' >&2; exit 1"}, true));
      }),
      "the launcher has too few slots for these "
      "ranks; take a larger allocation or smaller --communicator-sizes, or add "
      "--oversubscribe to --launcher");
  EXPECT_EQ(run(ScriptedDriver({answer_all()})).measured, 14U);
}

TEST_F(CampaignTest, ASilentCellIsStoppedAndFailed) {
  CampaignRequest request = small_request();
  request.silence_limit_s = 5;  // no other cell takes as long on a busy machine
  const std::string silent = answer_all("[ \"$cell\" = 'bcast 2 1 linear 0' ] && sleep 1000");
  const ScriptedDriver driver({silent, silent, answer_all()});
  const CampaignOutcome outcome = run(driver, request);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(outcome.measured, 13U);
}

TEST_F(CampaignTest, CellsBehindTheLastCheckpointAreNotStored) {
  const std::string cut = R"(
cell=$(grep -m1 bcast $PLAN)
echo "@colltree {\"event\":\"measured\",\"cell\":\"$cell\",\"count\":1,\"type_size\":1,\"nodes\":1,\"ranks_per_node\":1,\"samples_us\":[9],\"discarded\":0}"
exit 1
)";
  EXPECT_NE(error_of([&] { run(ScriptedDriver({cut})); }), "no error");
  EXPECT_EQ(stored(profile::CellStatus::kOk), 0U);
}

TEST_F(CampaignTest, RetryFailedMeasuresTheFailedOnly) {
  const std::string dies = answer_all("[ \"$cell\" = 'bcast 4 1 binomial 0' ] && exit 9");
  EXPECT_EQ(outcome_text(run(ScriptedDriver({dies, dies, answer_all()}))),
            "13 cells measured, 0 there before, 1 failed (--retry failed tries these again)");
  EXPECT_EQ(outcome_text(run(ScriptedDriver({answer_all()}))),
            "0 cells measured, 14 there before, 0 failed, 1 of those there before (--retry failed "
            "tries these again)");
  EXPECT_EQ(stored(profile::CellStatus::kFailed), 1U);
  CampaignRequest request = small_request();
  request.retry_failed = true;
  EXPECT_EQ(run(ScriptedDriver({answer_all()}), request).measured, 1U);
  EXPECT_EQ(stored(profile::CellStatus::kFailed), 0U);
}

TEST_F(CampaignTest, AJobThatIsKilledOnceInACellCostsNoCell) {
  for (const bool is_real : {false, true}) {
    std::filesystem::remove(path_);
    const ScriptedDriver driver(
        {answer_all("[ \"$cell\" = 'bcast 4 1 binomial 0' ] && exit 9"), answer_all()}, is_real);
    EXPECT_EQ(outcome_text(run(driver)), "14 cells measured, 0 there before, 0 failed");
    EXPECT_EQ(driver.launches(), 2U);
  }
}

// Which of several cells killed the job is not known: the same are measured one at a time.
TEST_F(CampaignTest, AJobThatDiesInSeveralCellsIsFollowedByOneCellAtATime) {
  const std::string begins = R"(echo '@colltree {"event":"at_once"}'; )";
  const std::string dies = begins + "grep -q '^at_once 0.2$' $PLAN || exit 5; exit 9";
  const std::string alone = "grep -q '^at_once' $PLAN && exit 5\n" + answer_all();
  CampaignRequest request = small_request();
  request.at_once = 0.2;
  const ScriptedDriver driver({dies, alone}, true);
  EXPECT_EQ(outcome_text(run(driver, request)), "14 cells measured, 0 there before, 0 failed");
  EXPECT_EQ(driver.launches(), 2U);
  EXPECT_EQ(stored(profile::CellStatus::kFailed), 0U);
  // It says so, and is another campaign than one cell at a time.
  profile::Profile profile(path_, profile::OpenMode::kRead);
  EXPECT_EQ(profile.campaigns().at(0).info.options, R"({"at_once":0.2})");
}

TEST_F(CampaignTest, ACellBehindACheckpointIsToBlameAlone) {
  const std::string dies = answer_all("[ \"$cell\" = 'bcast 4 1 binomial 0' ] && exit 9");
  CampaignRequest request = small_request();
  request.at_once = 0.2;
  const ScriptedDriver driver(
      {"echo '@colltree {\"event\":\"at_once\"}'\n" + dies, dies, answer_all()});
  EXPECT_EQ(run(driver, request).failed, 1U);
  EXPECT_EQ(driver.launches(), 3U);
}

TEST_F(CampaignTest, AJobThatDiesBeforeItsFirstCellSaysHowToGoOn) {
  EXPECT_EQ(
      error_of([&] { run(ScriptedDriver({started("script-1") + "kill -9 $$"}, true)); }),
      "the job ended with signal 9 (Killed) before its first cell; the same command continues");
}

TEST_F(CampaignTest, AnotherLibraryOfTheRanksIsRefused) {
  const ScriptedDriver driver({started("script-2") + answer_all()}, true);
  EXPECT_EQ(error_of([&] { run(driver); }),
            path_.string() +
                ": the ranks on n1 run script-2, here is script-1, which must not be mixed; use "
                "the same MPI library here and there");
  EXPECT_EQ(stored(profile::CellStatus::kOk), 0U);
}

TEST_F(CampaignTest, ARenamedHostDoesNotBeginAnew) {
  profile::CampaignInfo before;
  before.system = {"old", profile::kProvenanceMeasured, "script-1", "", ""};
  before.source = "portable";
  before.host = "old-host";
  before.options = "{}";
  profile::Profile(path_, profile::OpenMode::kWrite).begin_campaign(before);
  const ScriptedDriver driver({answer_all()});
  EXPECT_THAT(error_of([&] { run(driver); }),
              testing::MatchesRegex(".*: holds this campaign as system old of host old-host, here "
                                    "is .*; say --system old to continue it, or --system "
                                    "scripted for another"));
  CampaignRequest request = small_request();
  request.system = "scripted";
  EXPECT_EQ(run(driver, request).measured, 14U);
  EXPECT_EQ(run(driver).already, 14U);  // both are there: both are meant
}

TEST_F(CampaignTest, CellsOfAnotherStartSettingHaveAJobOfTheirOwn) {
  CampaignRequest request = small_request();
  request.collectives = {Collective::kBcast};
  request.methods = "linear_0K,binomial_0K";
  // The second job's plan holds nothing of the first's.
  ScriptedDriver driver({answer_all(), "grep -q linear $PLAN && exit 9\n" + answer_all()});
  driver.give_own_job("binomial");
  const CampaignOutcome outcome = run(driver, request);
  EXPECT_EQ(outcome.measured, outcome.wanted);
  EXPECT_EQ(driver.launches(), 2U);
}

TEST_F(CampaignTest, RetryDisturbedMeasuresWhatOthersDisturbedOnly) {
  std::string script = answer_all();
  script.replace(script.find("\\\"discarded"), 0, "\\\"foreign_load\\\":0.42,");
  CampaignRequest request = small_request();
  request.collectives = {Collective::kBcast};
  const CampaignOutcome first = run(ScriptedDriver({script}), request);
  EXPECT_EQ(first.disturbed, first.measured);
  EXPECT_EQ(run(ScriptedDriver({answer_all()}), request).measured, 0U) << "they are there";
  request.retry_disturbed = true;
  const CampaignOutcome again = run(ScriptedDriver({answer_all()}), request);
  EXPECT_EQ(again.measured, first.measured);
  EXPECT_EQ(again.disturbed, 0U);
  EXPECT_EQ(run(ScriptedDriver({answer_all()}), request).measured, 0U) << "none is disturbed now";
}

// Answers the plan and every further one that it receives, until one is empty.
std::string answer_rounds(const std::string& condition = "") {
  return R"(
answer() {
  echo "@colltree {\"event\":\"begun\",\"cell\":\"$cell\"}"
  )" + condition +
         R"(
  set -- $cell
  time=$(( $2 * 3 + $3 / 100 + 5 ))
  [ $4 = linear ] || time=$(( 20 + $3 / 150 ))
  echo "@colltree {\"event\":\"measured\",\"cell\":\"$cell\",\"count\":1,\"type_size\":1,\"nodes\":1,\"ranks_per_node\":$2,\"samples_us\":[$time.5],\"discarded\":0}"
  echo "@colltree {\"event\":\"checkpoint\"}"
}
grep -E '^bcast ' $PLAN | { while read -r cell; do answer; done; } || exit 3
echo '@colltree {"event":"plan_done"}'
while read -r cell; do
  case $cell in
    bcast*) answer ;;
    more) echo '@colltree {"event":"plan_done"}' ;;
    end) break ;;
  esac
done
echo '@colltree {"event":"done"}'
)";
}

CampaignRequest adaptive_request(std::uint64_t cells) {
  CampaignRequest request;
  request.collectives = {Collective::kBcast};
  request.grid = {{2, 3, 4, 5, 6, 7, 8, 16}, {1, 4, 16, 64, 256, 1024, 4096, 16384}};
  request.methods = "linear,binomial";
  request.budget.cells = cells;
  return request;
}

TEST_F(CampaignTest, ByChoiceOneJobTakesAllRounds) {
  const ScriptedDriver driver({answer_rounds()});
  const CampaignOutcome outcome = run(driver, adaptive_request(45));
  EXPECT_EQ(driver.launches(), 1U);
  EXPECT_EQ(outcome.measured, 45U);
  EXPECT_EQ(outcome.predicted, 128U - 45);
  EXPECT_LT(outcome.expected_penalty.value_or(1), 0.05);
  EXPECT_EQ(stored(profile::CellStatus::kOk), 45U);
  EXPECT_EQ(stored(profile::CellStatus::kWanted), 128U);
  const Timings timings = surrogate::complete(profile::load_timings(
      profile::Profile(path_, profile::OpenMode::kRead), "scripted", Collective::kBcast));
  EXPECT_EQ(timings.instances.size(), 64U);
  EXPECT_EQ(timings.time_us.predicted(), 128U - 45);
  for (const Instance& at : timings.instances) EXPECT_EQ(at.ranks_per_node, at.communicator_size);
}

// These times hold no surprise: what is left would gain nothing.
TEST_F(CampaignTest, ByChoiceItStopsWhenNothingIsLeftToGain) {
  const CampaignOutcome outcome = run(ScriptedDriver({answer_rounds()}), adaptive_request(120));
  EXPECT_LT(outcome.measured, 120U);
  EXPECT_LT(outcome.expected_penalty.value_or(1), 0.001);
}

TEST_F(CampaignTest, ByChoiceItGoesOnWithWhatItKnows) {
  run(ScriptedDriver({answer_rounds()}), adaptive_request(9));  // not all of the first cells
  EXPECT_EQ(run(ScriptedDriver({answer_rounds()}), adaptive_request(24)).measured, 15U);
  const CampaignOutcome outcome = run(ScriptedDriver({answer_rounds()}), adaptive_request(30));
  EXPECT_EQ(outcome.already, 24U);
  EXPECT_EQ(outcome.measured, 6U);
  EXPECT_EQ(stored(profile::CellStatus::kOk), 30U) << "a cell was measured twice";
  CampaignRequest all = adaptive_request(0);
  all.budget = {};
  EXPECT_EQ(run(ScriptedDriver({answer_all()}), all).measured, 128U - 30);
  const Timings timings = surrogate::complete(profile::load_timings(
      profile::Profile(path_, profile::OpenMode::kRead), "scripted", Collective::kBcast));
  EXPECT_EQ(timings.time_us.predicted(), 0U) << "everything was measured after all";
}

// "bcast 4/2 ...": two nodes of two ranks.
std::string answer_placed() {
  std::string text = answer_rounds(R"(
  ranks=${cell#bcast }; ranks=${ranks%% *}; node=${ranks#*/}; ranks=${ranks%/*}
  echo "@colltree {\"event\":\"measured\",\"cell\":\"$cell\",\"count\":1,\"type_size\":1,\"nodes\":$(( (ranks + node - 1) / node )),\"ranks_per_node\":$node,\"samples_us\":[$(( ranks * 10 / node )).5],\"discarded\":0}"
  echo "@colltree {\"event\":\"checkpoint\"}"
  return
)");
  return text;
}

CampaignRequest placed_request() {
  CampaignRequest request = small_request();
  request.grid = {{2, 4, 8}, {1, 4096}};
  request.methods = "linear,binomial";
  request.segment_sizes = {0};
  request.ranks_per_node = {1, 2, protocol::kAllRanksOfNode};
  return request;
}

// Methods that know the nodes are planned where there are several with several ranks each: of the
// placements of 4 and 8 ranks 2 of 4, 2 of 8 and 4 of 8.
TEST_F(CampaignTest, PlacementsDecideWhatIsPlanned) {
  CampaignRequest request = placed_request();
  request.methods = "linear,hierarchical";
  request.parameters.radix.clear();
  const CampaignOutcome outcome = run(ScriptedDriver({answer_placed()}), request);
  EXPECT_EQ(outcome.wanted, (7U + 3) * 2);
  request.ranks_per_node = {1};
  request.methods = "hierarchical";
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({answer_placed()}), request); }),
            "the grid is empty: no method can run at any of its instances");
}

// On four nodes of four: 1 and 2 of 2; 1, 2 and 4 of 4; 2 and 4 of 8.
TEST_F(CampaignTest, PlacementsAreAnAxis) {
  CampaignRequest request = placed_request();
  request.budget.cells = 1000;
  const CampaignOutcome outcome = run(ScriptedDriver({answer_placed()}), request);
  EXPECT_EQ(outcome.wanted, 7U * 2 * 2);
  Timings timings = surrogate::complete(profile::load_timings(
      profile::Profile(path_, profile::OpenMode::kRead), "scripted", Collective::kBcast));
  EXPECT_EQ(timings.instances.size(), 7U * 2);
  EXPECT_TRUE(has_several_placements(timings));
  EXPECT_EQ(placements_of(timings), (std::vector<std::uint64_t>{1, 2, 4}));
  for (const Instance& at : timings.instances)
    EXPECT_EQ(at.nodes, protocol::nodes_for(at.communicator_size, at.ranks_per_node));
  EXPECT_EQ(select_placement(timings, 4).instances.size(), 3U * 2);
  EXPECT_EQ(select_placement(timings, 1).instances.size(), 2U * 2);
  request.budget = {};
  const CampaignOutcome again = run(ScriptedDriver({answer_placed()}), request);
  EXPECT_EQ(again.already, outcome.measured);
  EXPECT_EQ(again.already + again.measured, outcome.wanted);
  EXPECT_EQ(stored(profile::CellStatus::kOk), outcome.wanted) << "a cell was measured twice";
}

// The cells name no placement, so that a campaign from before finds its own among them.
TEST_F(CampaignTest, RowsInSharedMemoryArePlannedWhereAllRanksAreOnOneNode) {
  CampaignRequest request = small_request();
  ScriptedDriver driver({answer_all()});
  run(driver, request);
  EXPECT_EQ(driver.asked_ranks(), 0U) << "nothing depends on it";
  request.methods += ",shared_memory";
  EXPECT_EQ(run(driver, request).wanted, 14U);
  EXPECT_EQ(driver.asked_ranks(), 4U);
  driver.be_one_node();
  const CampaignOutcome outcome = run(driver, request);
  EXPECT_EQ(outcome.already, 14U);
  EXPECT_EQ(outcome.measured, 2U * (1 + 2));  // 4096 B also in segments
  for (const protocol::PlanCell& cell : plan_cells(request, driver))
    EXPECT_EQ(cell.instance.ranks_per_node, 0U);
}

TEST_F(CampaignTest, RowsInSharedMemoryAloneOnSeveralNodes) {
  CampaignRequest request = small_request();
  request.methods = "shared_memory";
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({answer_all()}), request); }),
            "the grid is empty: no method can run at any of its instances");
}

TEST_F(CampaignTest, PlacementsThatTheJobHasNot) {
  CampaignRequest request = placed_request();
  request.ranks_per_node = {8};
  request.grid.communicator_sizes = {8};
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({answer_placed()}), request); }),
            "--ranks-per-node: the job has 4 nodes of at most 4 ranks: no room for any of the "
            "communicator sizes with any of these");
}

TEST_F(CampaignTest, SeveralPlacementsMustBeSaidAgain) {
  CampaignRequest request = placed_request();
  run(ScriptedDriver({answer_placed()}), request);
  request.ranks_per_node = {};
  EXPECT_EQ(error_of([&] { run(ScriptedDriver({answer_placed()}), request); }),
            path_.string() +
                ": system scripted was measured with several placements; choose with "
                "--ranks-per-node which of them to continue, or give another --system");
}

TEST_F(CampaignTest, AJobThatWouldPassTheBudgetIsNotStarted) {
  CampaignRequest request = adaptive_request(0);
  request.budget = {.seconds = 1000};
  request.began -= std::chrono::seconds(1000);
  const ScriptedDriver late({answer_rounds()});
  EXPECT_EQ(run(late, request).measured, 0U);
  EXPECT_EQ(late.launches(), 0U);
}

// "binomial" needs a job of its own. The first job takes 1 s to start; a second would take that
// again, and as long to end.
TEST_F(CampaignTest, AJobIsStartedOnlyWhereItsStartAndEndFitTheBudget) {
  CampaignRequest request = adaptive_request(0);
  request.budget = {.seconds = 2.9};
  ScriptedDriver slow({"sleep 1\n" + started("script-1") + answer_rounds()});
  slow.give_own_job("binomial");
  run(slow, request);
  EXPECT_LE(slow.launches(), 1U);
}

TEST_F(CampaignTest, ByChoiceAJobThatDiesIsFollowedByAnother) {
  const char* die_once =
      "[ \"${cell#bcast 16 1 }\" != \"$cell\" ] && [ ! -e $PLAN.died ] && touch $PLAN.died && exit "
      "9";
  const ScriptedDriver driver({answer_rounds(die_once), answer_rounds()}, true);
  const CampaignOutcome outcome = run(driver, adaptive_request(45));
  EXPECT_EQ(driver.launches(), 2U);
  EXPECT_EQ(outcome.measured, 45U);
  EXPECT_EQ(outcome.failed, 0U);
}

TEST_F(CampaignTest, EverySettingHasItsJobAndItsCells) {
  ScriptedDriver driver({answer_all()});
  driver.measure_under({"x", {"X=1"}});
  driver.measure_under({"alone", {"OMPI_MCA_coll_xhc_priority=90"}});
  const CampaignOutcome outcome = run(driver);
  EXPECT_EQ(outcome.measured, 14U + 14U + 4U);  // of the last one only the library's own choice
  EXPECT_EQ(driver.launches(), 3U);
  profile::Profile profile(path_, profile::OpenMode::kRead);
  EXPECT_EQ(stored_settings(profile, "scripted").size(), 2U);
  const auto methods = [&](const std::string& setting) {
    const profile::LoadOptions load{.default_alone = true, .setting = setting};
    return profile::load_timings(profile, "scripted", Collective::kBcast, load)
        .timings.methods.size();
  };
  EXPECT_EQ(methods("x"), methods(""));
  EXPECT_EQ(methods("alone"), 1U);
}

TEST_F(CampaignTest, ASettingThatDoesNotStartIsRecordedAndTheOthersGoOn) {
  ScriptedDriver driver(
      {answer_all(), "echo 'no such component' >&2\necho 'for x' >&2; exit 7", answer_all()}, true);
  driver.measure_under({"x", {"X=1"}});
  driver.measure_under({"y", {"Y=1"}});
  const CampaignOutcome outcome = run(driver);
  EXPECT_EQ(outcome.measured, 28U);
  EXPECT_EQ(outcome.failed, 14U);
  EXPECT_EQ(driver.launches(), 3U);
  profile::Profile profile(path_, profile::OpenMode::kRead);
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      EXPECT_EQ(cell.reason, setting_of(cell.key.method) == "x"
                                 ? "the job ended with exit code 7: no such component for x"
                                 : "");
    }
  }
  EXPECT_EQ(run(driver).already, 42U);  // nothing is tried again unasked
}

TEST_F(CampaignTest, ASettingUnderWhichJobsDieIsGivenUp) {
  ScriptedDriver driver({answer_all(), answer_all("exit 9")}, true);
  driver.measure_under({"x", {"X=1"}});
  const CampaignOutcome outcome = run(driver);
  EXPECT_EQ(outcome.measured, 14U);
  EXPECT_EQ(outcome.failed, 14U);
  EXPECT_EQ(driver.launches(), 1U + 5U);
}

}  // namespace
}  // namespace colltree::measure
