// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/program_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace colltree::evaluate {
namespace {

constexpr const char* kRecord =
    "# colltree record 1\n# state complete\n# ranks 4\n# ranks_covered 4\n# seconds 1.5\n"
    "# calls_lost 0\n"
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us\n"
    "bcast,4,1,4,512,binomial,1024,model,20,10240,80,1000000,6,59\n"
    "bcast,4,1,4,512,default,,default,20,10240,80,2000000,6,59\n"
    "bcast,4,1,4,2047,default,,default,20,40940,80,400000,6,59\n"
    "bcast,4,1,4,0,default,,no_data,20,0,80,40000,6,59\n"
    "gatherv,4,1,4,,default,,no_methods,10,,40,4000000,,\n"
    "ibcast,4,1,4,,default,,nonblocking,10,,40,,,\n";

TEST(ProgramChange, AddsUpTheCallsOfASizeClassAsMeansOverTheRanks) {
  const ProgramRun run = program_run(2.5, parse_call_record(kRecord, "r.csv"));
  EXPECT_EQ(run.whole_s, 2.5);
  EXPECT_EQ(run.after_init_s, 1.5);
  EXPECT_NEAR(run.collective_s, 1.86, 1e-12);
  const std::map<CallsKey, double> expected = {{{"bcast", 4, 0, ""}, 0.01},
                                               {{"bcast", 4, 512, ""}, 0.75},
                                               {{"bcast", 4, 1024, ""}, 0.1},
                                               {{"gatherv", 4, std::nullopt, ""}, 1.0}};
  EXPECT_EQ(run.calls_s, expected);
}

ProgramRun run_of(double seconds, std::map<CallsKey, double> calls_s = {}) {
  return {seconds, seconds, seconds, std::move(calls_s)};
}

TEST(ProgramChange, JudgesPairsAndNotTheTwoMedians) {
  // The machine became ten times slower on the way; in each pair b takes 10 to 15 % longer.
  std::vector<ProgramPair> pairs;
  for (const double slow : {1.0, 1.5, 3.0, 5.0, 8.0, 10.0})
    pairs.push_back({run_of(slow), run_of(slow * (slow < 4 ? 1.10 : 1.15))});
  const Change change = whole_change(pairs);
  EXPECT_NEAR(change.ratio.middle, std::sqrt(1.10 * 1.15), 1e-12);
  EXPECT_NEAR(change.ratio.interval.low, 1.10, 1e-12);
  EXPECT_NEAR(change.ratio.interval.high, 1.15, 1e-12);
  EXPECT_EQ(change.a_s.middle, 4.0);
  EXPECT_EQ(verdict(change), "slower");
  for (ProgramPair& pair : pairs) std::swap(pair[0], pair[1]);
  EXPECT_EQ(verdict(whole_change(pairs)), "faster");
  EXPECT_NEAR(whole_change(pairs).ratio.middle, 1 / change.ratio.middle, 1e-12);
  pairs[2] = {run_of(1), run_of(1.1)};
  EXPECT_EQ(verdict(whole_change(pairs)), "no significant difference");
}

TEST(ProgramChange, FivePairsGiveNoInterval) {
  const std::vector<ProgramPair> pairs(kFewestPairs - 1, {run_of(1), run_of(2)});
  const Change change = whole_change(pairs);
  EXPECT_EQ(change.ratio.middle, 2);
  EXPECT_EQ(change.ratio.interval.low, -INFINITY);
  EXPECT_EQ(change.ratio.interval.high, INFINITY);
  EXPECT_EQ(verdict(change), "no significant difference");
}

TEST(ProgramChange, SortsCallsByWhatChangedMost) {
  const CallsKey bcast{"bcast", 4, 64, ""}, gather{"gather", 4, 64, ""}, scan{"scan", 4, 64, ""};
  const std::vector<ProgramPair> pairs(kFewestPairs,
                                       {run_of(1, {{bcast, 0.3}, {gather, 0.5}}),
                                        run_of(1, {{bcast, 0.2}, {gather, 0.51}, {scan, 0.3}})});
  const ProgramChange change = change_of(pairs);
  ASSERT_EQ(change.calls.size(), 3);
  EXPECT_EQ(change.calls[0].first.function, "scan");
  EXPECT_TRUE(std::isnan(change.calls[0].second.ratio.middle));  // a makes no such call
  EXPECT_EQ(verdict(change.calls[0].second), "slower");
  EXPECT_EQ(change.calls[1].first.function, "bcast");
  EXPECT_EQ(verdict(change.calls[1].second), "faster");
  EXPECT_EQ(change.calls[2].first.function, "gather");
}

}  // namespace
}  // namespace colltree::evaluate
