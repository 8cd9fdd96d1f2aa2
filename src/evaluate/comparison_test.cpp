// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/comparison.h"

#include <gtest/gtest.h>

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
            "                               mean  median     p95     max    >5   >10   >50 no "
            "run  beats  vs def  mean 95 %\n"
            "  default (openmpi-4.1.5)      50.0    50.0     100     100  50.0  50.0  50.0      "
            "0      1    +0.0  0..100\n"
            "  best fixed (Linear_0K)        150     150     300     300  50.0  50.0  50.0      "
            "0      0  +100.0  0..300\n"
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
      "                               mean charged  median     p95     max    >5   >10   >50 no "
      "run  beats  vs def  mean 95 %\n"
      "  default (openmpi-4.1.5)      50.0    50.0    50.0     100     100  50.0  50.0  50.0      "
      "0      1    +0.0  0..100\n"
      "  best fixed (Linear_0K)        150     150     150     300     300  50.0  50.0  50.0      "
      "0      0  +100.0  0..300\n"
      "  M.json (quadtree)               0     150       0       0       0     0     0     0      "
      "1      0  +100.0  -\n"
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
  EXPECT_TRUE(by_default["cannot_run"].empty());
}

TEST(Comparison, WithoutADefaultThereIsNoSuchRow) {
  Timings timings = table();
  timings.default_us = {kNoTime, kNoTime};
  ASSERT_EQ(compare_baselines(timings, "m").rows.size(), 1U);
}

}  // namespace
}  // namespace colltree::evaluate
