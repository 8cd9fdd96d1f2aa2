// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/guidelines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "timings/test_times.h"

namespace colltree::evaluate {
namespace {

using enum Collective;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kRanks = 4;

struct Measured {
  Instance instance;
  double time_us = 1;
};

// A table for each collective; the only method, "a", and the default take these times.
std::vector<Timings> tables(const std::vector<Measured>& measured) {
  std::map<Instance, double> sorted;
  for (const Measured& one : measured) sorted[one.instance] = one.time_us;
  std::vector<Timings> all;
  for (const auto& [instance, time_us] : sorted) {
    if (all.empty() || all.back().collective != instance.collective) {
      Timings& added = all.emplace_back();
      added.collective = instance.collective;
      added.methods = {{"a", 0}};
    }
    all.back().instances.push_back(instance);
    all.back().time_us.push_back(time_us);
    all.back().default_us.push_back(time_us);
  }
  return all;
}

Instance at(Collective collective, std::uint64_t bytes, std::uint64_t ranks = kRanks) {
  return {collective, ranks, bytes, 0, 0};
}

std::vector<GuidelineCase> tested(const std::vector<Timings>& timings, double tolerance = 0.05) {
  return test_guidelines(timings, {default_chooser(), best_chooser()}, tolerance);
}

// "allgather <= gather + bcast: 8 B" of what the first chooser breaks.
std::vector<std::string> broken(const std::vector<GuidelineCase>& cases) {
  std::vector<std::string> names;
  for (const GuidelineCase* one : worst_first(cases, 0)) {
    names.push_back(guidelines()[one->guideline].name + ": " +
                    std::to_string(one->instance.message_size) + " B");
  }
  return names;
}

const GuidelineCase& the_case(const std::vector<GuidelineCase>& cases, const std::string& name,
                              const Instance& left) {
  for (const GuidelineCase& one : cases) {
    if (guidelines()[one.guideline].name == name && one.instance == left) return one;
  }
  throw std::runtime_error("not tested: " + name);
}

bool is_tested(const std::vector<GuidelineCase>& cases, const std::string& name) {
  return std::ranges::any_of(
      cases, [&](const GuidelineCase& one) { return guidelines()[one.guideline].name == name; });
}

struct Row {
  std::string name;
  Measured left;
  std::vector<Instance> right;
};

// With 4 ranks; the sizes by hand from docs/glossary.md.
std::vector<Row> rows() {
  const auto row = [](const std::string& name, Instance left, std::vector<Instance> right) {
    return Row{name, {left, 1}, std::move(right)};
  };
  return {
      row("allreduce <= reduce + bcast", at(kAllreduce, 32), {at(kReduce, 32), at(kBcast, 32)}),
      row("allreduce <= reduce_scatter_block + allgather", at(kAllreduce, 32),
          {at(kReduceScatterBlock, 8), at(kAllgather, 8)}),
      row("allreduce <= reduce_scatter + allgather", at(kAllreduce, 32),
          {at(kReduceScatter, 32), at(kAllgather, 8)}),
      row("allgather <= gather + bcast", at(kAllgather, 8), {at(kGather, 8), at(kBcast, 32)}),
      row("allgather <= alltoall", at(kAllgather, 8), {at(kAlltoall, 8)}),
      row("allgather <= allreduce", at(kAllgather, 8), {at(kAllreduce, 32)}),
      row("allgather <= allgatherv", at(kAllgather, 8), {at(kAllgatherv, 8)}),
      row("alltoall <= alltoallv", at(kAlltoall, 8), {at(kAlltoallv, 8)}),
      row("barrier <= allreduce", at(kBarrier, 0), {at(kAllreduce, 4)}),
      row("bcast <= scatter + allgather", at(kBcast, 32), {at(kScatter, 8), at(kAllgather, 8)}),
      row("gather <= allgather", at(kGather, 8), {at(kAllgather, 8)}),
      row("gather <= reduce", at(kGather, 8), {at(kReduce, 32)}),
      row("gather <= gatherv", at(kGather, 8), {at(kGatherv, 8)}),
      row("reduce <= allreduce", at(kReduce, 32), {at(kAllreduce, 32)}),
      row("reduce <= reduce_scatter_block + gather", at(kReduce, 32),
          {at(kReduceScatterBlock, 8), at(kGather, 8)}),
      row("reduce <= reduce_scatter + gather", at(kReduce, 32),
          {at(kReduceScatter, 32), at(kGather, 8)}),
      row("reduce_scatter <= reduce + scatterv", at(kReduceScatter, 32),
          {at(kReduce, 32), at(kScatterv, 8)}),
      row("reduce_scatter <= reduce + scatter", at(kReduceScatter, 32),
          {at(kReduce, 32), at(kScatter, 8)}),
      row("reduce_scatter <= allreduce", at(kReduceScatter, 32), {at(kAllreduce, 32)}),
      row("reduce_scatter_block <= reduce + scatter", at(kReduceScatterBlock, 8),
          {at(kReduce, 32), at(kScatter, 8)}),
      row("reduce_scatter_block <= allreduce", at(kReduceScatterBlock, 8), {at(kAllreduce, 32)}),
      row("reduce_scatter_block <= reduce_scatter", at(kReduceScatterBlock, 8),
          {at(kReduceScatter, 32)}),
      row("scatter <= bcast", at(kScatter, 8), {at(kBcast, 32)}),
      row("scatter <= scatterv", at(kScatter, 8), {at(kScatterv, 8)}),
      row("a smaller message", at(kBcast, 8), {at(kBcast, 12)}),
      row("one message, not pieces", at(kBcast, 8), {at(kBcast, 4)}),
      row("a smaller communicator", at(kBcast, 8), {at(kBcast, 8, 5)}),
  };
}

std::uint64_t times_of(const Row& row) { return row.name == "one message, not pieces" ? 2 : 1; }

std::vector<Measured> measured(const Row& row, double left_us, double right_us) {
  std::vector<Measured> all = {{row.left.instance, left_us}};
  const auto calls = static_cast<double>(row.right.size() * times_of(row));
  for (const Instance& instance : row.right) all.push_back({instance, right_us / calls});
  return all;
}

TEST(Guidelines, EachIsTestedHere) {
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.name);
  std::vector<std::string> all;
  for (const Guideline& guideline : guidelines()) all.push_back(guideline.name);
  EXPECT_EQ(names, all);
  EXPECT_GE(all.size(), 13U);
}

TEST(Guidelines, EachIsBrokenByASlowerLeftSide) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const auto cases = tested(tables(measured(row, 12, 10)));
    EXPECT_THAT(broken(cases),
                ElementsAre(row.name + ": " + std::to_string(row.left.instance.message_size) +
                            " B"));  // this one only
    const GuidelineCase& one = the_case(cases, row.name, row.left.instance);
    EXPECT_EQ(one.by[0].verdict, Verdict::kNoInterval);
    EXPECT_NEAR(one.by[0].factor(), 1.2, 1e-12);
    std::vector<Instance> right;
    for (const GuidelineCall& call : one.by[0].calls) {
      right.push_back(call.instance);
      EXPECT_EQ(call.times, times_of(row));
    }
    EXPECT_EQ(right, row.right);
  }
}

// The right side's times are the left's: in a sum each call has its part.
TEST(Guidelines, NoneIsBrokenByEqualTimes) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const auto cases = tested(tables(measured(row, 10, 10)));
    EXPECT_EQ(the_case(cases, row.name, row.left.instance).by[0].verdict, Verdict::kKept);
  }
}

TEST(Guidelines, ToleranceIsAFractionOfTheRightSide) {
  const auto timings = tables(measured(rows()[0], 12, 10));
  EXPECT_THAT(broken(tested(timings, 0.19)), ElementsAre("allreduce <= reduce + bcast: 32 B"));
  EXPECT_THAT(broken(tested(timings, 0.21)), IsEmpty());
}

// Beside it, above it, below it: nothing is interpolated.
TEST(Guidelines, OtherSizesAreNoRightSide) {
  for (const Row& row : rows()) {
    if (row.name == "a smaller message" || row.name == "barrier <= allreduce") continue;
    SCOPED_TRACE(row.name);
    for (std::size_t i = 0; i < row.right.size(); ++i) {
      Row other = row;
      other.right[i].message_size = 7;
      EXPECT_FALSE(is_tested(tested(tables(measured(other, 12, 10))), row.name));
    }
  }
}

TEST(Guidelines, TheRightSideHasTheSameRanksAndPlacement) {
  for (const Row& row : rows()) {
    if (row.name == "a smaller communicator") continue;
    SCOPED_TRACE(row.name);
    for (const auto field :
         {&Instance::communicator_size, &Instance::nodes, &Instance::ranks_per_node}) {
      Row other = row;
      other.right[0].*field += 1;
      EXPECT_FALSE(is_tested(tested(tables(measured(other, 12, 10))), row.name));
    }
  }
}

TEST(Guidelines, APartThatIsNoWholeNumberIsSkipped) {
  EXPECT_FALSE(
      is_tested(tested(tables({{at(kBcast, 34), 9}, {at(kScatter, 8), 1}, {at(kAllgather, 8), 1}})),
                "bcast <= scatter + allgather"));
  EXPECT_FALSE(is_tested(tested(tables({{at(kBcast, 9), 9}, {at(kBcast, 4), 1}})),
                         "one message, not pieces"));
  // n p beyond what a size can be.
  EXPECT_FALSE(
      is_tested(tested(tables({{at(kScatter, UINT64_MAX / 2 + 1), 9}, {at(kBcast, 0), 1}})),
                "scatter <= bcast"));
}

TEST(Guidelines, OfSeveralRightSidesTheOneThatIsBrokenMost) {
  const auto cases = tested(tables(
      {{at(kBcast, 8), 12}, {at(kBcast, 16), 10}, {at(kBcast, 32), 6}, {at(kBcast, 64), 11}}));
  EXPECT_THAT(broken(cases), ElementsAre("a smaller message: 8 B", "a smaller message: 16 B"));
  const GuidelineTest& test = the_case(cases, "a smaller message", at(kBcast, 8)).by[0];
  ASSERT_EQ(test.calls.size(), 1U);
  EXPECT_EQ(test.calls[0].instance.message_size, 32U);
  EXPECT_EQ(test.factor(), 2);
}

TEST(Guidelines, TheLeastAllreduceIsNotOfNothing) {
  const auto cases = tested(tables({{at(kBarrier, 0), 9},
                                    {at(kAllreduce, 0), 1},
                                    {at(kAllreduce, 8), 4},
                                    {at(kAllreduce, 4), 3}}));
  const GuidelineTest& test = the_case(cases, "barrier <= allreduce", at(kBarrier, 0)).by[0];
  EXPECT_EQ(test.calls.at(0).instance.message_size, 4U);
  EXPECT_EQ(test.factor(), 3);
}

TEST(Guidelines, ACommunicatorIsPartOfAnother) {
  const auto is_part = [](const Instance& small, const Instance& large) {
    return is_tested(tested(tables({{small, 9}, {large, 1}})), "a smaller communicator");
  };
  EXPECT_TRUE(is_part({kBcast, 4, 8, 4, 1}, {kBcast, 8, 8, 8, 1}));
  EXPECT_TRUE(is_part({kBcast, 4, 8, 1, 4}, {kBcast, 8, 8, 1, 8}));
  EXPECT_FALSE(is_part({kBcast, 4, 8, 4, 1}, {kBcast, 8, 8, 1, 8}));
  EXPECT_FALSE(is_part({kBcast, 4, 8, 1, 4}, {kBcast, 8, 8, 8, 1}));
  EXPECT_FALSE(is_part({kBcast, 4, 8, 0, 0}, {kBcast, 8, 8, 8, 1}));
  EXPECT_FALSE(is_part({kBcast, 4, 8, 4, 1}, {kBcast, 8, 16, 8, 1}));
  // Of a sum over all ranks each has less when they are more.
  EXPECT_FALSE(is_part({kReduceScatter, 4, 8, 4, 1}, {kReduceScatter, 8, 8, 8, 1}));
}

// gather 12 us, allgather 10 us, between these bounds.
std::vector<Timings> with_intervals(std::pair<double, double> gather,
                                    std::pair<double, double> allgather) {
  auto timings = tables({{at(kAllgather, 8), 10}, {at(kGather, 8), 12}});
  testing::set_interval(timings[0].time_us, 0, {allgather.first, allgather.second});
  testing::set_interval(timings[1].time_us, 0, {gather.first, gather.second});
  return timings;
}

Verdict best_verdict(const std::vector<Timings>& timings) {
  return the_case(tested(timings), "gather <= allgather", at(kGather, 8)).by[1].verdict;
}

TEST(Guidelines, CertainWhereIntervalsDoNotOverlap) {
  EXPECT_EQ(best_verdict(with_intervals({11, 13}, {9, 10.4})), Verdict::kCertain);
  EXPECT_EQ(best_verdict(with_intervals({10.3, 13}, {9, 10.4})), Verdict::kWithinNoise);
  EXPECT_EQ(best_verdict(with_intervals({11, 13}, {9, 10.6})), Verdict::kWithinNoise);  // 5 % more
  // One sample each; one side only.
  EXPECT_EQ(best_verdict(with_intervals({12, 12}, {10, 10})), Verdict::kNoInterval);
  EXPECT_EQ(best_verdict(with_intervals({11, 13}, {10, 10})), Verdict::kNoInterval);
  EXPECT_EQ(best_verdict(with_intervals({10, 13}, {10, 10})), Verdict::kWithinNoise);
}

TEST(Guidelines, BoundsOfASumAreSums) {
  auto timings = tables({{at(kBcast, 4), 3}, {at(kBcast, 8), 12}});  // 2 x 3
  testing::set_interval(timings[0].time_us, 0, {2, 4});
  testing::set_interval(timings[0].time_us, 1, {9, 15});
  const auto test = [&] {
    return the_case(tested(timings), "one message, not pieces", at(kBcast, 8)).by[1];
  };
  EXPECT_EQ(test().right.low_us, 4);
  EXPECT_EQ(test().right.high_us, 8);
  EXPECT_EQ(test().verdict, Verdict::kCertain);
  testing::set_interval(timings[0].time_us, 1, {8.2, 15});
  EXPECT_EQ(test().verdict, Verdict::kWithinNoise);
}

// The default's time has the interval of its column where it is a candidate.
TEST(Guidelines, TheDefaultAmongTheMethods) {
  auto timings = with_intervals({11, 13}, {9, 10.4});
  const auto verdict = [&] {
    return the_case(tested(timings), "gather <= allgather", at(kGather, 8)).by[0].verdict;
  };
  EXPECT_EQ(verdict(), Verdict::kNoInterval);
  for (Timings& table : timings) {
    table.methods.push_back({kDefaultAlgorithm});
    const double us = table.default_us[0].measured_us();
    table.time_us.push_back(Time::measured(us, {us * 0.99, us * 1.01}));
  }
  EXPECT_EQ(verdict(), Verdict::kCertain);
}

TEST(Guidelines, EachChooserDecidesOnBothSides) {
  auto timings = with_intervals({12, 12}, {10, 10});
  timings[1].methods = {{"a", 0}, {"b", 0}};  // gather by b is fast
  timings[1].time_us = {12, 5};
  testing::set_intervals(timings[1].time_us, 1, 1);
  const auto fixed = [](const std::string& algorithm) {
    return GuidelineChooser{algorithm, [algorithm](const Timings& table, std::size_t) {
                              const bool gather = table.collective == kGather;
                              return std::optional(Method{gather ? algorithm : "a", 0});
                            }};
  };
  const auto cases = test_guidelines(
      timings, {default_chooser(), fixed("a"), fixed("b"), fixed("c"), best_chooser()}, 0.05);
  const GuidelineCase& one = the_case(cases, "gather <= allgather", at(kGather, 8));
  std::vector<Verdict> verdicts;
  for (const GuidelineTest& test : one.by) verdicts.push_back(test.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::kNoInterval, Verdict::kNoInterval, Verdict::kKept,
                                    Verdict::kNotMeasured, Verdict::kKept));
  EXPECT_EQ(one.by[4].method.algorithm, "b");
  EXPECT_EQ(one.by[4].calls.at(0).method.algorithm, "a");
}

TEST(Guidelines, WhatWasNotMeasuredIsNotTested) {
  auto timings = with_intervals({12, 12}, {10, 10});
  timings[0].default_us = {kNoTime};
  const auto cases = tested(timings);
  const std::size_t guideline = the_case(cases, "gather <= allgather", at(kGather, 8)).guideline;
  EXPECT_EQ(tally(cases, guideline, 0).tested, 0U);
  EXPECT_EQ(tally(cases, guideline, 1).tested, 1U);
  timings[0].time_us = {kNoTime};
  EXPECT_FALSE(is_tested(tested(timings), "gather <= allgather"));
}

TEST(Guidelines, TheWorstFirstAndNoiseLast) {
  auto timings = tables({{at(kAllgather, 8), 10},
                         {at(kAllgather, 9), 10},
                         {at(kAllgather, 10), 10},
                         {at(kGather, 8), 12},
                         {at(kGather, 9), 30},
                         {at(kGather, 10), 40}});
  // So the slightest of the three alone is certain.
  const Interval intervals[2][3] = {{{9.9, 10.1}, {10, 10}, {10, 10}},
                                    {{11, 13}, {29, 31}, {1, 90}}};
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::size_t at = 0; at < 3; ++at)
      testing::set_interval(timings[table].time_us, at, intervals[table][at]);
  }
  const auto cases = test_guidelines(timings, {best_chooser()}, 0.05);
  EXPECT_THAT(broken(cases), ElementsAre("gather <= allgather: 9 B", "gather <= allgather: 8 B",
                                         "gather <= allgather: 10 B"));
  const GuidelineTally sum =
      tally(cases, the_case(cases, "gather <= allgather", at(kGather, 8)).guideline, 0);
  EXPECT_EQ(sum.tested, 3U);
  EXPECT_EQ(sum.broken, 2U);
  EXPECT_EQ(sum.certain, 1U);
  EXPECT_EQ(sum.within_noise, 1U);
}

}  // namespace
}  // namespace colltree::evaluate
