// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timings/test_times.h"

namespace colltree::evaluate {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSizes[] = {4, 1024, 65536, 1048576};

// A default and a ring on 2 and 4 ranks, as fast as `factors` by message size say, with an interval
// of `half` to each side.
SettingTimes under(const std::string& name, const std::vector<double>& factors,
                   double half = 0.01) {
  Timings timings{.system = "s", .provenance = "measured"};
  timings.methods = {{"ring", std::nullopt}, library_default()};
  for (const std::uint64_t ranks : {2, 4}) {
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      timings.instances.push_back({Collective::kBcast, ranks, kSizes[i]});
      for (const double us : {10 / factors[i], 12 / factors[i]}) timings.time_us.push_back(us);
      timings.default_us.push_back(12 / factors[i]);
    }
  }
  testing::set_intervals(timings.time_us, 1 - half, 1 + half);
  return {name, {timings}};
}

TEST(CompareSettings, TheOneThatLosesLeastIsChosen) {
  const SettingContest contest =
      compare_settings(std::vector{under("", {1, 1, 1, 1}), under("slow", {0.5, 0.5, 0.5, 0.5}),
                                   under("good", {2, 2, 2, 2}), under("mixed", {3, 3, 1, 0.5})},
                       {});
  EXPECT_EQ(contest.instances, 8U);
  EXPECT_EQ(contest.best().name, "good");
  EXPECT_NEAR(contest.best().gain.factor, 2, 1e-9);
  EXPECT_NEAR(contest.best().loss, 0.25, 1e-9);  // a half where "mixed" is three times as fast
  EXPECT_GT(contest.best().gain.interval.low, 1.9);
  EXPECT_LT(contest.best().gain.interval.high, 2.1);
  EXPECT_EQ(contest.best().slower, 0U);
  EXPECT_NEAR(contest.rows[1].gain.factor, 0.5, 1e-9);
  EXPECT_EQ(contest.rows[1].slower, 8U);
}

TEST(CompareSettings, WhereTheBestOnAverageIsWorseIsSaid) {
  const SettingContest contest =
      compare_settings(std::vector{under("", {1, 1, 1, 1}), under("mixed", {4, 4, 4, 0.8})}, {});
  ASSERT_EQ(contest.best().name, "mixed");
  EXPECT_EQ(contest.best().slower, 2U);
  ASSERT_TRUE(contest.best().worst);
  EXPECT_EQ(contest.best().worst->message_size, 1048576U);
  EXPECT_NEAR(contest.best().worst_factor, 1.25, 1e-9);
  EXPECT_EQ(contest.gains.csv(),
            "setting,collective,message_sizes,instances,gain\nmixed,bcast,up to 2K,4,4\n"
            "mixed,bcast,up to 128K,2,4\nmixed,bcast,above,2,0.8\n");
  EXPECT_THAT(settings_text(contest),
              HasSubstr("at 2, most 1.2 times the time: bcast on 2 ranks, 1M"));
}

TEST(CompareSettings, TheCallsOfAProgramDecide) {
  const std::vector settings{under("", {1, 1, 1, 1}), under("mixed", {4, 4, 4, 0.8})};
  const std::vector<CallCount> large{{{Collective::kBcast, 4, 1048576}, 100},
                                     {{Collective::kBcast, 4, 4}, 1}};
  const SettingContest contest = compare_settings(settings, large);
  EXPECT_TRUE(contest.weighted);
  EXPECT_EQ(contest.instances, 2U);
  EXPECT_EQ(contest.chosen, 0U);
  EXPECT_NEAR(contest.rows[1].gain.factor, 101 / (125 + 0.25), 1e-9);
  const std::vector<CallCount> small{{{Collective::kBcast, 4, 4}, 1}};
  EXPECT_EQ(compare_settings(settings, small).best().name, "mixed");
}

TEST(CompareSettings, WithoutProofTheJobStaysAsItIs) {
  EXPECT_EQ(
      compare_settings(
          std::vector{under("", {1, 1, 1, 1}), under("noisy", {1.01, 1.01, 1.01, 1.01}, 0.3)}, {})
          .chosen,
      0U);
  SettingTimes partial = under("partial", {9, 9, 9, 9});
  partial.timings[0].instances[0].message_size = 5;
  SettingTimes none{"none", {}, "no such component"};
  const SettingContest contest =
      compare_settings(std::vector{under("", {1, 1, 1, 1}), partial, none}, {});
  EXPECT_EQ(contest.chosen, 0U);
  EXPECT_EQ(contest.rows[1].missing, 1U);
  EXPECT_THAT(settings_text(contest), HasSubstr(" not measured: no such component\n"));
  EXPECT_THAT(settings_text(contest), HasSubstr("; no time at 1 instances"));
}

}  // namespace
}  // namespace colltree::evaluate
