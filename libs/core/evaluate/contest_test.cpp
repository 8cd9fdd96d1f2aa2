// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "evaluate/points.h"

namespace colltree::evaluate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// a wins on 2 and 4 ranks, b on 8 and 16, by a factor of two; the default is always a.
Timings halves(std::vector<std::uint64_t> sizes = {2, 4, 8, 16}) {
  Timings timings;
  timings.system = "s";
  timings.methods = {{"a", 0}, {"b", 0}};
  for (const std::uint64_t ranks : sizes) {
    for (const std::uint64_t bytes : {1, 1024}) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.time_us.push_back(ranks <= 4 ? 1 : 2);
      timings.time_us.push_back(ranks <= 4 ? 2 : 1);
      timings.default_us.push_back(ranks <= 4 ? 1 : 2);
    }
  }
  return timings;
}

const Deployment kNoDeployment = [](const FittedChooser&, const Timings&, ComparisonRow&) {};

Comparison run(const Timings& timings,
               const ContestOptions& options = {{HeldOut::kMessageSizes}, 2}) {
  return run_contest(timings, "mpi-1",
                     {best_fixed(), fitted_by(model::parse_fitter("quadtree")), exact_map()},
                     options, kNoDeployment, [] {});
}

TEST(Contest, RowsOfTrainingAndHeldOutPoints) {
  const Comparison contest = run(halves());
  ASSERT_EQ(contest.rows.size(), 4U);
  EXPECT_EQ(contest.rows[0].chooser, "default");
  EXPECT_EQ(contest.rows[1].detail, "a");
  EXPECT_EQ(contest.rows[2].leaves, 4U);
  // Message sizes do not matter here, so a tree fitted on the other one is right.
  for (const std::size_t row : {2, 3}) {
    EXPECT_EQ(summarize(contest.rows[row].points).max, 0);
    EXPECT_EQ(summarize(*contest.rows[row].held_out[0]).max, 0);
    EXPECT_EQ(contest.rows[row].held_out[0]->values.size(), 8U);
  }
  EXPECT_EQ(summarize(contest.rows[1].points).mean, 0.5);
}

TEST(Contest, CountsItsFits) {
  const ContestOptions options{{HeldOut::kMessageSizes, HeldOut::kBlocks}, 2};
  std::size_t fits = 0;
  run_contest(halves(), "", {best_fixed(), exact_map()}, options, kNoDeployment, [&] { ++fits; });
  EXPECT_EQ(fits, fits_of(2, options));
}

TEST(Contest, WhatCannotBeLeftOutIsSaidAndTheRestStands) {
  const Comparison contest = run(halves({8}), {{HeldOut::kCommunicatorSizes, HeldOut::kBlocks}, 2});
  EXPECT_FALSE(contest.rows[1].held_out[0]);
  EXPECT_TRUE(contest.rows[1].held_out[1]);
  EXPECT_THAT(contest_text(contest, Detail::kAll),
              HasSubstr("not held out by communicator_sizes: bcast: nothing "
                        "would be left to fit"));
  EXPECT_THROW(run(halves(), {{HeldOut::kBlocks}, 1}), UsageError);
}

TEST(Contest, OneCellAndAllTied) {
  Timings one = halves({8});
  one = select_instances(one, std::vector<std::size_t>{0});
  one.time_us = {3, 3};
  for (const ComparisonRow& row : run(one).rows) {
    EXPECT_EQ(row.refused, "");
    EXPECT_EQ(summarize(row.points).max, 0) << row.chooser;
  }
}

TEST(Contest, AContenderThatCannotBeFittedIsARow) {
  const Contender broken{"broken", [](const std::vector<Timings>&) -> FittedChooser {
                           throw Error("too few points");
                         }};
  const Comparison contest =
      run_contest(halves(), "", {broken, best_fixed()}, {{}, 5}, kNoDeployment, [] {});
  EXPECT_THAT(contest_text(contest, Detail::kAll), HasSubstr("cannot be fitted: too few points\n"));
  EXPECT_EQ(contest_json(contest)["choosers"][1]["refused"], "too few points");
  EXPECT_EQ(contest.rows[2].refused, "");
}

TEST(Contest, Text) {
  Comparison contest = run(halves());
  contest.rows.erase(contest.rows.begin() + 1);
  for (ComparisonRow& row : contest.rows) row.fit_ms.reset();
  contest.rows[1].fit_ms = 1.25;
  contest.rows[1].bytes = 384;
  contest.rows[1].decide_ns = 19.6;
  EXPECT_EQ(
      contest_text(contest, Detail::kAll),
      "bcast: penalty in % over 8 instances\n"
      "                                                                               training "
      "points                       message_sizes, 2 folds\n"
      "                            leaves   bytes    mean           95 % geomean slower no run    "
      "max "
      "   mean           95 % geomean slower no run   fit ms     ns\n"
      "  default (mpi-1)                -       -    50.0     12.5..87.5    41.4      0      0    "
      "100 "
      "   50.0     50.0..50.0    41.4      0      0        -      -\n"
      "  quadtree                       4     384       0           0..0       0      0      0     "
      " 0 "
      "      0           0..0       0      0      0     1.25     20\n"
      "  exact map                      -       -       0           0..0       0      0      0     "
      " 0 "
      "      0           0..0       0      0      0        -      -\n");
  EXPECT_THAT(contest_text(contest, Detail::kShort),
              HasSubstr("                                  training points          message_sizes\n"
                        "                            leaves    mean           95 %    max    mean"
                        "           95 %\n"
                        "  default (mpi-1)                -    50.0     12.5..87.5    100    50.0"
                        "     50.0..50.0\n"));
}

TEST(Contest, ChargedStandsOnlyWhereSomethingCannotRun) {
  const Contender blind{
      "blind", [](const std::vector<Timings>&) -> FittedChooser {
        return {[](const Instance& at) {
                  return at.message_size < 100 ? Method{"nowhere", 0} : Method{"a", 0};
                },
                "", nullptr};
      }};
  EXPECT_THAT(contest_text(run(halves()), Detail::kAll), Not(HasSubstr("charged")));
  const Comparison contest = run_contest(halves(), "", {blind, best_fixed()},
                                         {{HeldOut::kMessageSizes}, 2, 1}, kNoDeployment, [] {});
  const std::string text = contest_text(contest, Detail::kAll);
  EXPECT_THAT(
      text,
      HasSubstr("geomean slower no run charged    max    mean           95 % geomean slower no run "
                "charged"));
  const PenaltySummary training = summarize(contest.rows[1].points);
  EXPECT_GT(training.charged_mean, training.mean);
  EXPECT_EQ(contest_json(contest)["choosers"][1]["performance_penalty"]["charged_mean"],
            training.charged_mean);
}

// Where 2 ranks send 1 B, b is the better by 500 times: whoever chooses a there has a mean that
// this instance owns. On held-out points always a loses what it loses on the training points.
TEST(Contest, NamesMeansThatOutliersOwn) {
  Timings timings = halves();
  timings.time_us.set(0, 1000);
  const Contender always_a{"always a", [](const std::vector<Timings>&) -> FittedChooser {
                             return {[](const Instance&) { return Method{"a", 0}; }, "", nullptr};
                           }};
  const Comparison contest = run_contest(timings, "", {always_a, exact_map()},
                                         {{HeldOut::kMessageSizes}, 2}, kNoDeployment, [] {});
  for (const Detail detail : {Detail::kShort, Detail::kAll}) {
    const std::string text = contest_text(contest, detail);
    EXPECT_TRUE(text.ends_with(
        "\n  exact map on message_sizes: outliers own the mean of 6250 %: without 2 ranks, 1 B "
        "(49900 %) it is 14.3 %; the geometric mean is 137 %\n"
        "  always a on training points: outliers own the mean of 6288 %: without 2 ranks, 1 B "
        "(49900 %) it is 57.1 %; the geometric mean is 208 %\n"))
        << text;
    EXPECT_THAT(text, Not(HasSubstr("always a on message_sizes")));
  }
}

TEST(Contest, SameSeedSameFigures) {
  const auto figures = [](std::uint64_t seed) {
    Comparison contest = run(halves(), {{HeldOut::kCommunicatorSizes}, 2, seed});
    for (ComparisonRow& row : contest.rows) row.fit_ms.reset();
    return contest_json(contest).dump() + contests_csv({&contest, 1}, "s");
  };
  EXPECT_EQ(figures(1), figures(1));
  EXPECT_NE(figures(1), figures(2));
}

TEST(Contest, Csv) {
  Comparison contest = run(halves());
  for (ComparisonRow& row : contest.rows) row.fit_ms.reset();
  const std::string csv = contests_csv({&contest, 1}, "s");
  EXPECT_TRUE(
      csv.starts_with("system,collective,chooser,detail,leaves,bytes,fit_ms,decide_ns,"
                      "points,instances,cannot_run,mean,"));
  EXPECT_THAT(csv, HasSubstr(",charged_mean,geometric_mean,share_slower\n"));
  EXPECT_THAT(csv, HasSubstr("\"best fixed\",\"a\",,,,,training,8,0,0.5,"));
  EXPECT_THAT(csv, HasSubstr(",0.5,0.414214,0\n"));
  EXPECT_THAT(csv,
              HasSubstr("s,bcast,\"quadtree\",\"\",4,,,,training,8,0,0,0,0,0,0,0,0,0,0,0,0,0\n"));
  EXPECT_THAT(csv, HasSubstr("s,bcast,\"exact map\",\"\",,,,,message_sizes,8,0,0,"));
  contest.rows.front().points.predicted = 1;
  EXPECT_THAT(contests_csv({&contest, 1}, "s"),
              HasSubstr(",charged_mean,predicted,geometric_mean,share_slower\n"));
}

}  // namespace
}  // namespace colltree::evaluate
