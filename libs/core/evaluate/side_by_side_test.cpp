// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch.h"
#include "evaluate/runs.h"
#include "timings/test_times.h"

namespace colltree::evaluate {
namespace {

using ::testing::HasSubstr;

// Times of these methods at 8 ranks (two nodes of four where `placed`) and 1, 64 and 4096 bytes.
ComparedRun run_of(const std::string& name, const std::vector<Method>& methods,
                   const std::vector<double>& time_us, bool placed = false) {
  ComparedRun run{name, {}};
  Timings& timings = run.timings;
  timings.provenance = "imported";
  timings.methods = methods;
  for (const std::uint64_t bytes : {1, 64, 4096})
    timings.instances.push_back({Collective::kBcast, 8, bytes, placed ? 2U : 0U, placed ? 4U : 0U});
  timings.time_us = time_us;
  testing::set_intervals(timings.time_us, 1, 1);
  for (std::size_t i = 0; i < timings.instances.size(); ++i)
    timings.default_us.push_back(
        is_library_default(methods.back()) ? timings.time_at(i, methods.size() - 1) : Time());
  return run;
}

TEST(SideBySide, TwoRunsOfTheDefault) {
  const ComparedRun one = run_of("one.db", {library_default()}, {1, 2, 10});
  const ComparedRun two = run_of("two.db", {library_default()}, {9, 2, 5});
  EXPECT_EQ(
      side_by_side_text(set_side_by_side(std::vector{one, two})),
      "bcast: times in us, beside those of one.db default\n"
      "     ranks      bytes      one.db default      two.db default\n"
      "         8          1                1.00    9.00    +800.0 %\n"
      "         8         64                2.00    2.00 =    +0.0 %\n"
      "         8       4096               10.00    5.00     -50.0 %\n"
      "  two.db default: faster at 1 of 3 sizes, slower at 1, no difference at 1; takes 1.651 "
      "times as long (geometric mean)\n"
      "  one.db, two.db: times without repeats, so their noise is not known\n");
}

TEST(SideBySide, RepeatsSayWhatIsNoDifference) {
  ComparedRun one = run_of("one.db", {library_default()}, {1, 2, 10});
  ComparedRun two = run_of("two.db", {library_default()}, {1.1, 3, 5});
  const double high_us[] = {1.2, 2.2, 11};
  const double low_us[] = {1.05, 2.9, 4};
  for (std::size_t at = 0; at < 3; ++at) {
    const double one_us = one.timings.time_us[at].measured_us();
    const double two_us = two.timings.time_us[at].measured_us();
    testing::set_interval(one.timings.time_us, at, {one_us, high_us[at]});
    testing::set_interval(two.timings.time_us, at, {low_us[at], two_us});
  }
  const SideBySide beside = set_side_by_side(std::vector{one, two});
  EXPECT_THAT(side_by_side_text(beside),
              HasSubstr("faster at 1 of 3 sizes, slower at 1, no difference at 1;"));
  EXPECT_EQ(side_by_side_json(beside)["rows"][0]["times"][1]["verdict"], "no difference");
  EXPECT_EQ(side_by_side_json(beside)["columns"][1]["slower"], 1);
}

// An output says nothing of nodes; a profile does, and has a best method.
TEST(SideBySide, AnOutputBesideAProfile) {
  const ComparedRun osu = run_of("osu.db", {library_default()}, {1, 2, 10});
  const ComparedRun tuned =
      run_of("tuned.db", {{"binomial"}, library_default()}, {0.5, 1, 4, 2, 20, 12}, true);
  const SideBySide beside = set_side_by_side(std::vector{osu, tuned});
  ASSERT_EQ(beside.columns.size(), 3U);
  EXPECT_EQ(beside.columns[2].what, "best");
  EXPECT_EQ(beside.rows[1].times[1].time_us, 2);
  EXPECT_EQ(beside.rows[1].times[2].method, "default");
  EXPECT_EQ(beside.rows[2].times[2].time_us, 12);
  EXPECT_THAT(side_by_side_text(beside), HasSubstr("0.50     -50.0 % binomial\n"));
}

TEST(SideBySide, OnlyMethodsStandForADefault) {
  const ComparedRun ring = run_of("ring.db", {{"ring"}}, {1, 2, 10});
  const ComparedRun chain = run_of("chain.db", {{"chain"}}, {1, 2, 10});
  const SideBySide beside = set_side_by_side(std::vector{ring, chain});
  EXPECT_EQ(beside.columns[0].what, "ring");
  EXPECT_EQ(beside.columns[1].what, "chain");
}

TEST(SideBySide, WhatIsNotCommonIsSaid) {
  const ComparedRun one = run_of("one.db", {library_default()}, {1, 2, 10});
  ComparedRun two = one;
  two.name = "two.db";
  two.timings.instances[0].message_size = 2;
  EXPECT_THAT(side_by_side_text(set_side_by_side(std::vector{one, two})),
              HasSubstr("  1 sizes of one.db default have no counterpart\n"));
  for (Instance& instance : two.timings.instances) instance.communicator_size = 4;
  EXPECT_EQ(error_of([&] {
              set_side_by_side(std::vector{one, two});
            }),
            "one.db and two.db: have no instance of bcast in common: communicator sizes, message "
            "sizes and placement must be the same");
}

}  // namespace
}  // namespace colltree::evaluate
