// SPDX-License-Identifier: BSD-3-Clause
// Penalties as JSON and their intervals, and summaries against sums written out here.
#include "timings/penalty_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/test_scratch.h"
#include "timings/test_times.h"

namespace colltree {
namespace {

PenaltySummary a_summary() {
  return {.instances = 7,
          .min = 0.01,
          .max = 0.9,
          .mean = 0.1,
          .charged_mean = 0.3,
          .mean_interval = Interval{0.05, 0.2},
          .geometric_mean = 0.06,
          .median = 0.02,
          .p95 = 0.8,
          .share_above_5 = 0.5,
          .share_above_10 = 0.25,
          .share_above_50 = 0.125,
          .above_50 = 2,
          .versus_default = -0.1,
          .share_slower = 0.375};
}

TEST(PenaltyJson, IsReadBack) {
  EXPECT_EQ(
      penalty_json(a_summary()).dump(),
      R"({"above_50":2,"charged_mean":0.3,"geometric_mean":0.06,"instances":7,"max":0.9,"mean":0.1,)"
      R"("mean_interval":[0.05,0.2],"median":0.02,"min":0.01,"p95":0.8,"share_above_10":0.25,)"
      R"("share_above_5":0.5,"share_above_50":0.125,"share_slower":0.375,)"
      R"("versus_default":-0.1})");
  const PenaltySummary read = penalty_from_json(penalty_json(a_summary()));
  PenaltySummary without = a_summary();
  without.mean_interval.reset();
  EXPECT_EQ(penalty_json(read), penalty_json(without));
  EXPECT_FALSE(read.mean_interval);
}

TEST(PenaltyJson, WithoutAnInstanceTheFiguresAreNull) {
  const Json json = penalty_json({});
  for (const char* figure :
       {"min", "max", "mean", "charged_mean", "geometric_mean", "median", "p95"})
    EXPECT_TRUE(json[figure].is_null()) << figure;
  EXPECT_FALSE(json.contains("mean_interval"));
  EXPECT_EQ(penalty_from_json(json).instances, 0U);
  EXPECT_FALSE(penalty_from_json(json).versus_default);
}

TEST(PenaltyJson, AnOlderFileLacksFiguresAndABadOneIsRefused) {
  EXPECT_EQ(penalty_from_json(Json{{"instances", 3}, {"mean", 0.5}}).mean, 0.5);
  EXPECT_EQ(penalty_from_json(Json{{"instances", 3}}).p95, 0);
  const PenaltySummary older = penalty_from_json(Json{{"instances", 3}, {"mean", 0.5}});
  EXPECT_FALSE(older.geometric_mean);
  EXPECT_FALSE(penalty_json(older).contains("geometric_mean"));
  EXPECT_EQ(error_of([] { penalty_from_json(Json{{"mean", "low"}}); }), "'mean' must be a number");
  EXPECT_EQ(error_of([] {
              penalty_from_json(Json{{"instances", -1}});
            }),
            "'instances' must be an integer >= 0, not -1");
}

TEST(OneOrderJson, IsReadBackAndChecked) {
  const OneOrder order{.collective = Collective::kReduce,
                       .order = "by rank",
                       .methods = 3,
                       .of_methods = 9,
                       .mean_penalty = 0.25,
                       .max_penalty = 2};
  const Json json = to_json(std::vector{order, order});
  ASSERT_EQ(json.size(), 2U);
  for (const Json& one : json) EXPECT_EQ(one_order_from_json(one), order);
  Json bad = json[0];
  bad["collective"] = "reduces";
  EXPECT_EQ(error_of([&] { one_order_from_json(bad); }),
            "unknown collective 'reduces'; did you mean 'reduce'?");
  EXPECT_EQ(error_of([] {
              one_order_from_json(Json{{"collective", "scan"}});
            }),
            "field 'order' is missing");
}

TEST(CannotRunJson, NamesTheInstanceAndTheMethod) {
  const std::vector<CannotRun> all = {{{Collective::kScan, 6, 128}, {"recursive_doubling", 1024}}};
  EXPECT_EQ(cannot_run_json(all).dump(),
            R"([{"collective":"scan","communicator_size":6,"message_size":128,)"
            R"("method":"RecursiveDoubling_1K"}])");
}

TEST(Summary, IsWhatItsWordsSay) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Timings timings = testing::random_timings(
        {.holes = 0.9 * static_cast<double>(seed % 4) / 4, .cannot_run = 0.3}, seed);
    if (timings.instances.empty()) continue;
    const PenaltyPoints points =
        penalty_points(timings, [&](const Instance&) { return timings.methods[1]; });
    const PenaltySummary summary = summarize(points);
    std::vector<double> run, charged;
    std::size_t cannot = 0;
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const double least = timings.least_known_us(i);
      const double chosen = timings.time_at(i, 1).known_us();
      if (std::isnan(chosen)) {
        ++cannot;
        charged.push_back(timings.greatest_known_us(i) / least - 1);
      } else {
        run.push_back(chosen / least - 1);
        charged.push_back(run.back());
      }
    }
    ASSERT_EQ(summary.instances, run.size());
    ASSERT_EQ(points.cannot_run.size(), cannot);
    if (run.empty()) continue;
    std::ranges::sort(run);
    const auto n = static_cast<double>(run.size());
    const auto above = [&](double limit) {
      return static_cast<double>(
          std::ranges::count_if(run, [&](double one) { return one > limit; }));
    };
    EXPECT_NEAR(summary.mean, std::accumulate(run.begin(), run.end(), 0.0) / n, 1e-9);
    EXPECT_NEAR(summary.min, run.front(), 1e-12);
    EXPECT_NEAR(summary.max, run.back(), 1e-9);
    // The least value that 95 % do not exceed.
    const auto p95 =
        std::ranges::find_if(run, [&](double one) { return n - above(one) >= 0.95 * n; });
    EXPECT_NEAR(summary.p95, *p95, 1e-9);
    EXPECT_EQ(summary.share_above_5, above(0.05) / n);
    EXPECT_EQ(summary.share_above_10, above(0.1) / n);
    EXPECT_EQ(static_cast<double>(summary.above_50), above(0.5));
    if (std::ranges::none_of(charged, [](double one) { return std::isnan(one); })) {
      EXPECT_NEAR(summary.charged_mean,
                  std::accumulate(charged.begin(), charged.end(), 0.0) /
                      static_cast<double>(charged.size()),
                  1e-9);
    }
  }
}

TEST(MeanInterval, DrawsWholeGroups) {
  // Two groups of one value each: every mean is 0, the middle or 1, whatever is drawn.
  const std::vector<double> values = {0, 0, 0, 1, 1, 1};
  std::vector<Instance> at(6);
  for (std::size_t i = 0; i < 6; ++i) at[i].message_size = i;
  const Bootstrap halves{.group = [](const Instance& one) { return one.message_size / 3; }};
  const auto wide = mean_interval(values, at, halves);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->low, 0);
  EXPECT_EQ(wide->high, 1);
  // Each by itself: the mean of six is seldom an end.
  const auto narrow = mean_interval(values, at, {});
  ASSERT_TRUE(narrow);
  EXPECT_GT(narrow->low, 0);
  EXPECT_LT(narrow->high, 1);
  EXPECT_FALSE(mean_interval(values, at, {.group = [](const Instance&) { return 1; }}));
  EXPECT_FALSE(mean_interval(values, at, {.resamples = 0}));
  EXPECT_FALSE(mean_interval(std::vector{1.0}, std::vector{Instance{}}, {}));
}

TEST(MeanInterval, IsAsWideAsTheNormalOneAndTheSameForASeed) {
  SeededRandom random(3);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(10 + 2 * random.normal());
  const std::vector<Instance> at(400);
  const auto one = mean_interval(values, at, {.seed = 5});
  ASSERT_TRUE(one);
  const double half = 1.96 * 2 / 20;
  EXPECT_NEAR((one->high - one->low) / 2, half, 0.2 * half);
  EXPECT_LT(one->low, 10 + half);
  EXPECT_GT(one->high, 10 - half);
  EXPECT_EQ(mean_interval(values, at, {.seed = 5})->low, one->low);
  EXPECT_NE(mean_interval(values, at, {.seed = 6})->low, one->low);
}

TEST(BestFixed, RunsMostOftenThenLosesLeast) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Timings timings =
        testing::random_timings({.methods = 4, .cannot_run = seed % 2 ? 0.05 : 0}, seed);
    timings.methods[0] = library_default();  // never the answer, however fast
    timings.default_us.assign(timings.instances.size(), 1e-3);
    const auto best = best_fixed_method(timings);
    ASSERT_TRUE(best);
    std::vector<std::pair<double, double>> rank;
    for (std::size_t m = 1; m < 4; ++m) {
      double lost = 0, ran = 0;
      for (std::size_t i = 0; i < timings.instances.size(); ++i) {
        if (timings.time_at(i, m).is_impossible()) continue;
        lost += timings.time_at(i, m).known_us() / timings.least_known_us(i) - 1;
        ++ran;
      }
      rank.emplace_back(-ran, lost / ran);
    }
    const auto first = static_cast<std::size_t>(std::ranges::min_element(rank) - rank.begin());
    EXPECT_EQ(best->method, timings.methods[first + 1]) << seed;
  }
  EXPECT_FALSE(best_fixed_method({}));
}

}  // namespace
}  // namespace colltree
