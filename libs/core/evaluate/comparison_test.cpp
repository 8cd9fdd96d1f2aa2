// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"

namespace colltree::evaluate {
namespace {

Timings table() {
  Timings timings;
  timings.methods = {{"linear", 0}, {"binomial", 1024}};
  timings.instances = {{Collective::kBcast, 8, 1024}, {Collective::kBcast, 8, 4096}};
  timings.time_us = {10, kNoTime, 40, 10};
  timings.default_us = {5, 20};
  return timings;
}

TEST(Comparison, TextAndTheChoicesThatCannotRun) {
  Comparison comparison = compare_baselines(table(), "openmpi-4.1.5");
  comparison.rows.push_back({"M.json", "quadtree", penalty_points(table(), [](const Instance&) {
                               return Method{"binary", 0};
                             })});
  EXPECT_EQ(comparison_text(comparison, Detail::kAll),
            "bcast: penalty in % over 2 instances\n"
            "                               mean geomean  median     p95     max    >5   >10   "
            ">50 no run  beats  vs def slower  mean 95 %\n"
            "  default (openmpi-4.1.5)      50.0    41.4    50.0     100     100  50.0  50.0  "
            "50.0      0      1    +0.0      0  0..100\n"
            "  best fixed (Linear_0K)        150     100     150     300     300  50.0  50.0  "
            "50.0      0      0  +100.0    100  0..300\n"
            "  M.json (quadtree)         no time at any instance\n"
            "    M.json chooses Binary_0K on 8 ranks with 1024 B, which has no time there\n"
            "    M.json chooses Binary_0K on 8 ranks with 4096 B, which has no time there\n");
  comparison.rows.pop_back();
  EXPECT_EQ(comparison_text(comparison, Detail::kShort),
            "bcast: penalty in % over 2 instances\n"
            "                               mean  95 % interval     max vs default\n"
            "  default (openmpi-4.1.5)      50.0         0..100     100       +0.0\n"
            "  best fixed (Linear_0K)        150         0..300     300     +100.0\n");
}

TEST(Comparison, MeansOfDifferentInstancesAreNotLeftUnmarked) {
  Comparison comparison = compare_baselines(table(), "openmpi-4.1.5");
  comparison.rows.push_back(
      {"M.json", "quadtree", penalty_points(table(), [](const Instance& at) {
         return at.message_size == 1024 ? Method{"linear", 0} : Method{"binary", 0};
       })});
  EXPECT_EQ(
      comparison_text(comparison, Detail::kAll),
      "bcast: penalty in % over 2 instances\n"
      "                               mean charged geomean  median     p95     max    >5   >10   "
      ">50 no run  beats  vs def slower  mean 95 %\n"
      "  default (openmpi-4.1.5)      50.0    50.0    41.4    50.0     100     100  50.0  50.0  "
      "50.0      0      1    +0.0      0  0..100\n"
      "  best fixed (Linear_0K)        150     150     100     150     300     300  50.0  50.0  "
      "50.0      0      0  +100.0    100  0..300\n"
      "  M.json (quadtree)               0     150       0       0       0       0     0     0     "
      "0      1      0  +100.0    100  -\n"
      "    M.json chooses Binary_0K on 8 ranks with 4096 B, which has no time there\n");
}

TEST(Comparison, Json) {
  const Json json = comparison_json(compare_baselines(table(), "m"));
  EXPECT_EQ(json["collective"], "bcast");
  EXPECT_EQ(json["instances"], 2);
  const Json& by_default = json["choosers"][0];
  EXPECT_EQ(by_default["chooser"], "default");
  EXPECT_EQ(by_default["faster_than_all"], 1);
  EXPECT_EQ(by_default["performance_penalty"]["mean"], 0.5);
  EXPECT_EQ(by_default["performance_penalty"]["share_above_50"], 0.5);
  EXPECT_NEAR(by_default["performance_penalty"]["geometric_mean"].number(), std::sqrt(2.0) - 1,
              1e-12);
  EXPECT_TRUE(by_default["cannot_run"].empty());
}

// 100 instances, all but the last with a penalty of 2 %.
PenaltyPoints with_outlier(double outlier) {
  PenaltyPoints points;
  for (std::uint64_t bytes = 1; bytes <= 100; ++bytes) {
    points.values.push_back(bytes < 100 ? 0.02 : outlier);
    points.instances.push_back({Collective::kBcast, 512, bytes});
  }
  return points;
}

TEST(OutlierLines, NameTheInstanceThatOwnsTheMean) {
  const PenaltyPoints points = with_outlier(157.7);
  EXPECT_EQ(outlier_lines({{"quadtree on blocks", &points}}),
            "  quadtree on blocks: outliers own the mean of 160 %: without 512 ranks, 100 B "
            "(15770 %) it is 2.0 %; the geometric mean is 7.3 %\n");
  EXPECT_EQ(
      comparison_text({Collective::kBcast, 100, {{"M.json", "quadtree", points}}}, Detail::kShort),
      "bcast: penalty in % over 100 instances\n"
      "                               mean  95 % interval     max vs default\n"
      "  M.json (quadtree)             160       2.0..475   15770          -\n"
      "  M.json (quadtree): outliers own the mean of 160 %: without 512 ranks, 100 B (15770 "
      "%) it is 2.0 %; the geometric mean is 7.3 %\n");
}

TEST(OutlierLines, AreThereOnlyWhereTheMeansDisagree) {
  const PenaltyPoints close = with_outlier(5);    // 7.0 and 3.8 %: less than twice
  const PenaltyPoints small = with_outlier(5.5);  // 7.5 and 3.9 %
  PenaltyPoints few = with_outlier(4);            // 4.0 and 1.6 %: but not 5 points
  for (std::size_t i = 0; i < 99; ++i) few.values[i] = 0;
  const PenaltyPoints none;
  EXPECT_EQ(outlier_lines({{"a", &close}, {"b", &small}, {"c", &few}, {"d", &none}}), "");
}

TEST(OutlierLines, AreNotThereWhereManyPenaltiesAreLarge) {
  PenaltyPoints many = with_outlier(20);  // then a mean of 402 and a geometric one of 87 %
  for (std::size_t i = 0; i < 19; ++i) many.values[i] = 20;
  EXPECT_EQ(outlier_lines({{"a", &many}}), "");
  PenaltyPoints two = with_outlier(20);
  two.values[0] = 30;
  EXPECT_EQ(outlier_lines({{"a", &two}}),
            "  a: outliers own the mean of 52.0 %: without 512 ranks, 1 B (3000 %) it is 22.2 %; "
            "the geometric mean is 8.8 %\n");
}

TEST(OutlierLines, AreAtMostThreeTheGreatestFirst) {
  std::vector<PenaltyPoints> points;
  for (const double outlier : {20., 50., 10., 40., 30.}) points.push_back(with_outlier(outlier));
  std::vector<NamedPoints> means;
  for (const char* name : {"a", "b", "c", "d", "e"}) means.push_back({name, &points[means.size()]});
  EXPECT_EQ(outlier_lines(means),
            "  b: outliers own the mean of 52.0 %: without 512 ranks, 100 B (5000 %) it is 2.0 %; "
            "the geometric mean is 6.1 %\n"
            "  d: outliers own the mean of 42.0 %: without 512 ranks, 100 B (4000 %) it is 2.0 %; "
            "the geometric mean is 5.8 %\n"
            "  e: outliers own the mean of 32.0 %: without 512 ranks, 100 B (3000 %) it is 2.0 %; "
            "the geometric mean is 5.5 %\n"
            "  and 2 more such means\n");
}

TEST(Comparison, ARowThatRestsOnPredictionsAloneHasNoFigures) {
  Timings timings = table();
  timings.default_us = {};
  for (const double us : {5e6, 2e6})
    timings.default_us.push_back(Time::predicted(us, {us / 2, 2 * us}));
  EXPECT_EQ(
      comparison_text(compare_baselines(timings, "m"), Detail::kShort),
      "bcast: penalty in % over 2 instances\n"
      "                               mean  95 % interval     max vs default predicted\n"
      "  default (m)               no figures: 2 of 2 instances rest on uncertain predictions\n"
      "  best fixed (Linear_0K)        150         0..300     300     -100.0         0\n");
}

TEST(Comparison, WithoutADefaultThereIsNoSuchRow) {
  Timings timings = table();
  timings.default_us = {kNoTime, kNoTime};
  ASSERT_EQ(compare_baselines(timings, "m").rows.size(), 1U);
}

}  // namespace
}  // namespace colltree::evaluate
