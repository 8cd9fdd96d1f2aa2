// SPDX-License-Identifier: BSD-3-Clause
// A cell on one rank, under a conductor and a selector that say what the test wants: every way in
// which a cell ends, and what is called how often on the way. One process that is a whole MPI job.
#include "rank/cell_runner.h"

#include <gtest/gtest.h>

#include <set>

namespace colltree::rank {
namespace {

// Answers `everywhere` as if another rank had said no at the questions of these numbers (from 0),
// and gives the durations of `script` in turn, the last one for ever.
class FakeConductor : public Conductor {
 public:
  void enter(MPI_Comm) override {}
  Durations run(std::size_t repetitions, const Timed& timed) override {
    batches.push_back(repetitions);
    if (timed.begin) timed.begin();
    for (std::size_t i = 0; i < repetitions; ++i) timed.call(i);
    if (timed.end) timed.end();
    Durations durations;
    for (std::size_t i = 0; i < repetitions; ++i)
      durations.push_back(script[std::min(next_++, script.size() - 1)]);
    return durations;
  }
  bool everywhere(bool mine) override { return !no_at.contains(asked++) && mine; }

  std::set<int> no_at;
  Durations script = {2e-6};
  int asked = 0;
  std::vector<std::size_t> batches;

 private:
  std::size_t next_ = 0;
};

class FakeSelector : public MethodSelector {
 public:
  std::string select(const protocol::PlanCell&, const CellShape&, MPI_Comm) override {
    calls += "select ";
    return unfit;
  }
  MPI_Comm comm() const override { return MPI_COMM_SELF; }
  void release() override { calls += "release"; }
  void begin() override { calls += "begin "; }
  void end() override { calls += "end "; }
  std::string other_than_selected() const override { return other; }

  std::string unfit;
  std::string other;
  std::string calls;
};

struct Trial {
  protocol::PlanCell cell{{Collective::kAllreduce, 1, 64}, {"recursive_doubling", 0}};
  protocol::StopRule stop{.min_samples = 3, .max_samples = 3, .cell_budget_s = 100};
  FakeConductor conductor;
  FakeSelector selector;
  RankEnvironment environment;

  explicit Trial(bool with_selector) {
    environment.conductor = &conductor;
    if (with_selector) environment.selector = &selector;
  }
  protocol::JobReport run() {
    Group group{.comm = MPI_COMM_SELF};
    const int node = 7;
    EXPECT_TRUE(group.layout.open(&node, 1));
    return CellRunner(group, cell, stop, environment).run();
  }
  // "" where it was measured; "!" in front where the method cannot run here.
  std::string failure() {
    const auto result = std::get<protocol::CellResult>(run());
    EXPECT_EQ(result.cell, cell);
    return (result.cannot_run ? "!" : "") + result.failure.value_or("");
  }
};

TEST(CellRunner, ReportsWhatTheConductorTimed) {
  Trial trial(false);
  trial.conductor.script = {1e-6, kMissed, 2e-6, kDisturbed, 3e-6, 4e-6};
  const auto measured = std::get<protocol::CellResult>(trial.run());
  EXPECT_EQ(measured.cell, trial.cell);
  EXPECT_EQ(measured.count, 16U);
  EXPECT_EQ(measured.type_size, 4U);
  EXPECT_EQ(measured.layout.nodes, 1U);
  EXPECT_EQ(measured.layout.ranks_per_node, 1U);
  ASSERT_EQ(measured.samples_us.size(), 3U);
  EXPECT_NEAR(measured.samples_us[0], 1, 1e-9);
  EXPECT_NEAR(measured.samples_us[1], 2, 1e-9);
  EXPECT_NEAR(measured.samples_us[2], 3, 1e-9);
  EXPECT_EQ(measured.discarded, 2U);
}

TEST(CellRunner, InTheSimulatorOneRepetitionIsAll) {
  Trial trial(false);
  trial.stop = {.min_samples = 1, .max_samples = 1, .cell_budget_s = 0};
  EXPECT_EQ(trial.failure(), "");
  EXPECT_EQ(trial.conductor.batches, (std::vector<std::size_t>{1}));
  EXPECT_EQ(trial.conductor.asked, 3) << "buffers, errors, result";
}

TEST(CellRunner, EveryCollectiveDeliversOnOneRank) {
  for (const CollectiveInfo& one : all_collectives()) {
    // Their times are only imported.
    if (one.name == "gatherv" || one.name == "scatterv") continue;
    Trial trial(false);
    trial.cell = {{one.collective, 1, one.unit == MessageUnit::kNone ? 0U : 100U},
                  library_default()};
    EXPECT_EQ(trial.failure(), "") << one.name;
    EXPECT_EQ(trial.conductor.batches.front(), 1U) << "the library's first call is never timed";
  }
}

TEST(CellRunner, WarmsUpAsOftenAsItIsTold) {
  Trial trial(false);
  trial.stop.warm_up = 4;
  EXPECT_EQ(trial.failure(), "");
  ASSERT_GE(trial.conductor.batches.size(), 5U);
  std::size_t timed = 0;
  for (std::size_t i = 4; i < trial.conductor.batches.size(); ++i)
    timed += trial.conductor.batches[i];
  EXPECT_EQ(timed, 3U);
}

TEST(CellRunner, SaysWhyThereIsNoTime) {
  struct Case {
    std::set<int> no_at;
    const char* failure;
  };
  const Case cases[] = {{{0}, "not enough memory for the buffers"},
                        {{1}, "the method returned an MPI error"},
                        {{2}, "the result is wrong"}};
  for (const Case& one : cases) {
    Trial trial(false);
    trial.conductor.no_at = one.no_at;
    EXPECT_EQ(trial.failure(), one.failure);
  }
  Trial unknown(false);
  unknown.cell.method = {"no_such", 0};
  EXPECT_EQ(unknown.failure(), "no such method in this program");
  EXPECT_TRUE(unknown.conductor.batches.empty());
  Trial missed(false);
  missed.conductor.script = {kMissed};
  missed.stop.cell_budget_s = 0;  // the number of tries ends it
  EXPECT_EQ(missed.failure(), "no repetition met the common start; the machine is overloaded");
}

TEST(CellRunner, ALibrarysMethodIsSelectedTriedAndReleased) {
  Trial trial(true);
  trial.cell.method = {"ring", 0};
  EXPECT_EQ(trial.failure(), "");
  // Tried, one call before it is timed, a batch or more, the one that is checked.
  EXPECT_EQ(trial.selector.calls.substr(0, 28), "select begin end begin end b");
  EXPECT_TRUE(trial.selector.calls.ends_with("begin end release"));
  EXPECT_EQ(trial.conductor.batches.front(), 1U);
}

TEST(CellRunner, AMethodThatDoesNotApplyIsNoFailure) {
  struct Case {
    const char* unfit;
    const char* other;
    std::set<int> no_at;  // 0: buffers; 1: selected; 2: code; 3: what ran
    const char* failure;
  };
  const Case cases[] = {
      {"needs 4 ranks", "", {}, "!needs 4 ranks"},
      {"", "", {1}, "!cannot be selected on another rank"},
      {"", "", {2}, "!the library refuses it on another rank"},
      {"", "runs linear", {}, "!runs linear"},
      {"", "", {3}, "!the library runs another algorithm on another rank"},
  };
  for (const Case& one : cases) {
    Trial trial(true);
    trial.selector.unfit = one.unfit;
    trial.selector.other = one.other;
    trial.conductor.no_at = one.no_at;
    EXPECT_EQ(trial.failure(), one.failure);
    EXPECT_TRUE(trial.conductor.batches.empty()) << "nothing is timed";
    EXPECT_TRUE(trial.selector.calls.ends_with("release"));
    const bool tried = trial.selector.calls.find("begin") != std::string::npos;
    EXPECT_EQ(tried, std::string_view(one.unfit).empty() && !one.no_at.contains(1));
  }
}

TEST(CellRunner, WhatTheLibraryRefusesHasItsWords) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Trial trial(true);
  trial.environment.sum = MPI_OP_NULL;
  const std::string failure = trial.failure();
  EXPECT_TRUE(failure.starts_with("!the library refuses it here: ")) << failure;
  EXPECT_GT(failure.size(), 35U);
  EXPECT_EQ(failure.find('\n'), std::string::npos);
}

class Mpi : public ::testing::Environment {
 public:
  void SetUp() override { MPI_Init(nullptr, nullptr); }
  void TearDown() override { MPI_Finalize(); }
};
const auto* const kMpi = ::testing::AddGlobalTestEnvironment(new Mpi);

}  // namespace
}  // namespace colltree::rank
