// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/program_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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
  EXPECT_EQ(run.totals_s[0], 2.5);
  EXPECT_EQ(run.totals_s[1], 1.5);
  EXPECT_NEAR(run.totals_s[2], 1.86, 1e-12);
  const std::map<CallsKey, double> expected = {{{"bcast", 4, 0, ""}, 0.01},
                                               {{"bcast", 4, 512, ""}, 0.75},
                                               {{"bcast", 4, 1024, ""}, 0.1},
                                               {{"gatherv", 4, std::nullopt, ""}, 1.0}};
  EXPECT_EQ(run.calls_s, expected);
}

using Pairs = std::vector<ProgramPair>;

Change whole_change(const Pairs& pairs) { return change_of(pairs).totals[0]; }

ProgramRun run_of(double seconds, std::map<CallsKey, double> calls_s = {}) {
  return {{seconds, seconds, seconds}, std::move(calls_s)};
}

TEST(ProgramChange, JudgesPairsAndNotTheTwoMedians) {
  // The machine became ten times slower on the way; in each pair b takes 10 to 15 % longer.
  Pairs pairs;
  for (const double slow : {1.0, 1.5, 3.0, 5.0, 8.0, 10.0})
    pairs.push_back({run_of(slow), run_of(slow * (slow < 4 ? 1.10 : 1.15))});
  const Change change = whole_change(pairs);
  EXPECT_NEAR(change.ratio.middle, std::sqrt(1.10 * 1.15), 1e-12);
  EXPECT_NEAR(change.ratio.interval.low, 1.10, 1e-12);
  EXPECT_NEAR(change.ratio.interval.high, 1.15, 1e-12);
  EXPECT_EQ(change.a_ms.middle, 4000.0);
  EXPECT_EQ(verdict(change), "slower");
  for (ProgramPair& pair : pairs) std::swap(pair[0], pair[1]);
  EXPECT_EQ(verdict(whole_change(pairs)), "faster");
  EXPECT_NEAR(whole_change(pairs).ratio.middle, 1 / change.ratio.middle, 1e-12);
  pairs[2] = {run_of(1), run_of(1.1)};
  EXPECT_EQ(verdict(whole_change(pairs)), "no significant difference");
}

// Seeded runs in which nothing differs, or in which each call takes `slower` times as long under b.
// Returns the share of these in which some call is judged to have changed.
double alarms(std::size_t calls, std::size_t pairs, int runs, double slower = 1) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.1);
  int alarmed = 0;
  for (int i = 0; i < runs; ++i) {
    Pairs measured(pairs);
    for (auto& [a, b] : measured) {
      for (std::size_t call = 0; call < calls; ++call) {
        const CallsKey key{"bcast", 4, std::uint64_t{1} << call, ""};
        a.calls_s[key] = noise(random);
        b.calls_s[key] = slower * noise(random);
      }
    }
    alarmed += std::ranges::any_of(change_of(measured).calls, [](const Change& call) {
      return verdict(call) != kNoDifference;
    });
  }
  return static_cast<double>(alarmed) / runs;
}

TEST(ProgramChange, CallsAreJudgedTogether) {
  constexpr struct {
    std::size_t calls, fewest_pairs, pairs;
  } kRows[] = {{1, 6, 6}, {2, 7, 7}, {11, 9, 9}, {20, 10, 10}};
  for (const auto& [calls, fewest, pairs] : kRows) {
    EXPECT_EQ(fewest_pairs(calls), fewest);
    EXPECT_LE(alarms(calls, pairs, 2000), 0.05) << calls << " calls, " << pairs << " pairs";
    EXPECT_EQ(alarms(calls, fewest - 1, 10, 10), 0) << calls << " calls without an interval";
    EXPECT_EQ(alarms(calls, fewest, 10, 10), 1) << calls << " calls that take ten times as long";
  }
}

TEST(ProgramChange, FivePairsGiveNoInterval) {
  const Pairs pairs(kFewestPairs - 1, {run_of(1), run_of(2)});
  const Change change = whole_change(pairs);
  EXPECT_NEAR(change.ratio.middle, 2, 1e-12);
  EXPECT_TRUE(std::isnan(change.ratio.interval.low));
  EXPECT_TRUE(std::isnan(change.ratio.interval.high));
  EXPECT_EQ(verdict(change), "no significant difference");
}

TEST(ProgramChange, SortsCallsByWhatChangedMost) {
  const CallsKey bcast{"bcast", 4, 64, ""}, gather{"gather", 4, 64, ""}, scan{"scan", 4, 64, ""};
  const Pairs pairs(fewest_pairs(3), {run_of(1, {{bcast, 0.3}, {gather, 0.5}}),
                                      run_of(1, {{bcast, 0.2}, {gather, 0.51}, {scan, 0.3}})});
  const ProgramChange change = change_of(pairs);
  ASSERT_EQ(change.calls.size(), 3);
  EXPECT_EQ(change.calls[0].key.function, "scan");
  EXPECT_TRUE(std::isnan(change.calls[0].ratio.middle));  // a makes no such call
  EXPECT_EQ(verdict(change.calls[0]), "slower");
  EXPECT_EQ(change.calls[1].key.function, "bcast");
  EXPECT_EQ(verdict(change.calls[1]), "faster");
  EXPECT_EQ(change.calls[2].key.function, "gather");
}

TEST(ProgramChange, PairsAreEnough) {
  const std::map<CallsKey, double> calls = {{{"bcast", 4, 1, ""}, 1}, {{"bcast", 4, 2, ""}, 1}};
  constexpr StopRule kGiven{.budget_s = 99, .fewest_pairs = 1};
  // The rule; how long b takes beside a, whose runs take 10 s, in the first pairs (then as long);
  // the number of pairs that are enough.
  const struct {
    StopRule rule;
    std::vector<double> b;
    std::map<CallsKey, double> calls_s;
    std::size_t pairs;
  } rows[] = {
      {{.judges_calls = false}, {}, calls, 6},
      {{}, {}, {}, 6},
      {{}, {}, calls, 7},                 // two calls need that many
      {{.budget_s = 1e6}, {1.5}, {}, 9},  // then the outermost of the ratios do not count
      {{.half_width = 0.3, .budget_s = 1e6}, {1.5}, {}, 6},
      {kGiven, {1, 2, 1, 2, 1, 2}, {}, 3},  // 20, 30, 20 seconds: a fourth might take 30
      {kGiven, {}, calls, 4},
      {{.budget_s = 120}, {}, calls, 6},  // spent, before the calls have their intervals
      {{.budget_s = 1}, {}, calls, 6},
  };
  for (const auto& [rule, b, calls_s, expected] : rows) {
    Pairs pairs;
    while (pairs.size() < 20 && !are_enough(pairs, rule)) {
      const double factor = pairs.size() < b.size() ? b[pairs.size()] : 1;
      pairs.push_back({run_of(10, calls_s), run_of(10 * factor, calls_s)});
    }
    EXPECT_EQ(pairs.size(), expected) << &rule - &rows[0].rule;
  }
}

}  // namespace
}  // namespace colltree::evaluate
