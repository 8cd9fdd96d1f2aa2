// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/guideline_report.h"

#include <gmock/gmock.h>

#include <array>

#include "timings/test_times.h"

namespace colltree::evaluate {
namespace {

using enum Collective;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kReportedRanks = 4;

// On 4 ranks with 8, 16, ... B: the default's times, and those of methods "a" and "b".
Timings table(Collective collective, const std::vector<std::array<double, 3>>& times) {
  Timings timings;
  timings.collective = collective;
  timings.methods = {{"a", 0}, {"b", 0}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    timings.instances.push_back({collective, kReportedRanks, std::uint64_t{8} << i, 4, 1});
    timings.default_us.push_back(times[i][0]);
    timings.time_us.push_back(times[i][1]);
    timings.time_us.push_back(times[i][2]);
  }
  return timings;
}

// By default allgather with 16 B is twice as slow as alltoall, by b it is not; of gather the method
// "a" breaks what the default keeps.
std::vector<Timings> some_tables() {
  return {table(kAllgather, {{10, 10, 9}, {40, 40, 12}}),
          table(kAlltoall, {{10, 10, 10}, {20, 20, 20}}),
          table(kGather, {{9, 30, 8}, {10, 10, 10}})};
}

GuidelineChooser always(const std::string& algorithm) {
  return {"chosen", [=](const Timings&, std::size_t) {
            return std::optional(Method{algorithm, 0});
          }};
}

GuidelineReport report_of(const std::vector<Timings>& timings, const std::string& chosen,
                          const std::vector<Collective>& about = {kAllgather, kAlltoall, kGather,
                                                                  kBarrier}) {
  return report_guidelines(timings, {default_chooser(), always(chosen), best_chooser()}, about,
                           0.05);
}

TEST(GuidelineReport, Text) {
  EXPECT_EQ(guideline_text(report_of(some_tables(), "a"), 20),
            R"(  broken/tested                default  chosen  best
  allgather(n) <= alltoall(n)  1/2      1/2     0/2
  gather(n) <= allgather(n)    0/2      1/2     0/2
  T(n) <= T(m) for n < m       0/3      1/3     0/3
  T(k n) <= k T(n)             1/3      1/3     0/3

default: 2 violations; chosen removes 0; best removes 2
  factor  certain  guideline                where                             takes  instead of  chosen  best     by
  x2      ?        allgather <= alltoall    allgather, 4 ranks (4 x 1), 16 B  40 us  20 us       x2      removed  alltoall 16 B
  x2      ?        one message, not pieces  allgather, 4 ranks (4 x 1), 16 B  40 us  20 us       x2      removed  2 x 8 B

chosen: 4 violations; where the default has none: 2 violations
  factor  certain  guideline            where                         takes  instead of  best     by
  x3      ?        gather <= allgather  gather, 4 ranks (4 x 1), 8 B  30 us  10 us       removed  allgather 8 B
  x3      ?        a smaller message    gather, 4 ranks (4 x 1), 8 B  30 us  10 us       removed  16 B

best: 0 violations

  not tested                                              because
  allgather(n) <= gather(n) + bcast(n p)                  no times of bcast
  allgather(n) <= allreduce(n p)                          no times of allreduce
  allgather(n) <= allgatherv(n)                           no times of allgatherv
  alltoall(n) <= alltoallv(n)                             no times of alltoallv
  barrier <= allreduce(the least size that was measured)  no times of barrier, allreduce
  gather(n) <= reduce(n p)                                no times of reduce
  gather(n) <= gatherv(n)                                 no times of gatherv
  T on p ranks <= T on q for p < q                        no times at sizes that fit
  Measure what is missing into the same profile to test them.
)");
}

TEST(GuidelineReport, LimitCutsEachList) {
  const GuidelineReport report = report_of(some_tables(), "a");
  const std::string one = guideline_text(report, 1);
  EXPECT_THAT(one, HasSubstr("  and 1 more; --most N or --json\n"));
  EXPECT_THAT(one, Not(HasSubstr("2 x 8 B")));
  EXPECT_THAT(guideline_text(report, 0), Not(HasSubstr("factor")));
  EXPECT_THAT(guideline_text(report, 2), Not(HasSubstr("more")));
}

TEST(GuidelineReport, OnlyAboutTheseButWithAllTimes) {
  const GuidelineReport report = report_of(some_tables(), "a", {kGather});
  const std::string text = guideline_text(report, 20);
  EXPECT_THAT(text, HasSubstr("  gather(n) <= allgather(n)  0/2      1/2     0/2\n"));
  EXPECT_THAT(text, HasSubstr("  T(n) <= T(m) for n < m     0/1      1/1     0/1\n"));
  EXPECT_THAT(text, Not(HasSubstr("alltoall")));
  EXPECT_THAT(text, HasSubstr("\ndefault: 0 violations\n"));
}

TEST(GuidelineReport, ADefaultThatWasNotMeasured) {
  auto timings = some_tables();
  for (Timings& one : timings) one.default_us.assign(2, kNoTime);
  const std::string text = guideline_text(report_of(timings, "b"), 20);
  EXPECT_THAT(text, HasSubstr("\ndefault: not measured, so nothing is known of it\n"));
  EXPECT_THAT(text, HasSubstr("  gather(n) <= allgather(n)    -        0/2     0/2\n"));
  EXPECT_THAT(text, HasSubstr("\nchosen: 0 violations\n"));
}

// The best of gather: 10 us, between 5 and 15; of allgather 9 us.
TEST(GuidelineReport, WhatMayBeNoiseIsCountedApart) {
  std::vector<Timings> timings = {table(kAllgather, {{9, 9, 9}}), table(kGather, {{9, 10, 10}})};
  testing::set_intervals(timings[0].time_us, 1, 1);
  for (const std::size_t at : {0, 1}) testing::set_interval(timings[1].time_us, at, {5, 15});
  const GuidelineReport report = report_of(timings, "c");
  const std::string text = guideline_text(report, 20);
  EXPECT_THAT(text, HasSubstr("  gather(n) <= allgather(n)  0/1      -       0/1 (+1 ~)\n"));
  EXPECT_THAT(text, HasSubstr("\nbest: 0 violations, 1 more that may be noise; where the default "
                              "has none: 0 violations, 1 more that may be noise\n"));
  EXPECT_THAT(text, HasSubstr("  x1.11   no       gather <= allgather  "));
  const Json violation = guideline_json(report).at("violations").at(0);
  EXPECT_EQ(violation.at("by").at(1), Json({{"chooser", "chosen"}, {"verdict", "not measured"}}));
  EXPECT_EQ(violation.at("by").at(2).at("verdict"), "within noise");
  EXPECT_EQ(violation.at("by").at(2).at("left"),
            Json({{"time_us", 10.0}, {"low_us", 5.0}, {"high_us", 15.0}}));
}

TEST(GuidelineReport, JsonHasEachViolationOnce) {
  const Json json = guideline_json(report_of(some_tables(), "a"));
  EXPECT_EQ(json.at("tolerance"), 0.05);
  ASSERT_EQ(json.at("violations").size(), 4U);
  const Json& first = json.at("violations").at(0);
  EXPECT_EQ(first.at("guideline"), "allgather <= alltoall");
  EXPECT_EQ(first.at("message_size"), 16);
  EXPECT_EQ(first.at("by").at(0).at("verdict"), "broken, no interval");
  EXPECT_EQ(first.at("by").at(2).at("verdict"), "kept");
  EXPECT_EQ(first.at("by").at(2).at("method"), Method({"b", 0}).label());
  const Json& call = first.at("by").at(0).at("calls").at(0);
  EXPECT_EQ(call.at("collective"), "alltoall");
  EXPECT_EQ(call.at("times"), 1);
  EXPECT_EQ(json.at("violations").at(2).at("guideline"), "gather <= allgather");
  const Json& untested = json.at("guidelines").at(0);
  EXPECT_EQ(untested.at("name"), "allgather <= gather + bcast");
  EXPECT_EQ(untested.at("not_measured"), Json::array({"bcast"}));
}

}  // namespace
}  // namespace colltree::evaluate
