// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace colltree {
namespace {

// What CellRunner does with a conductor whose repetition i of a batch takes `seconds(i)`.
struct Machine {
  std::function<double(std::size_t)> seconds;
  double overhead_s = 0;  // of a batch
  double now_s = 100;

  std::vector<std::size_t> run(Sampling& sampling) {
    std::vector<std::size_t> batches;
    while (const std::size_t batch = sampling.next_batch()) {
      batches.push_back(batch);
      Durations took;
      for (std::size_t i = 0; i < batch; ++i) took.push_back(seconds(i));
      for (const double one : took) now_s += std::max(one, 0.0);
      now_s += overhead_s;
      sampling.add(took);
    }
    return batches;
  }
};

using Batches = std::vector<std::size_t>;

Batches batches_of(const StopRule& stop, Machine machine) {
  Sampling sampling(stop, [&] { return machine.now_s; });
  return machine.run(sampling);
}

double steady(std::size_t) { return 1e-6; }
double wild(std::size_t i) { return i % 2 == 0 ? 1e-6 : 1e-3; }
double missed(std::size_t) { return kMissed; }

TEST(Sampling, EndsWhenTheMedianIsKnown) {
  const StopRule stop{.min_samples = 5, .max_samples = 1000};
  EXPECT_EQ(batches_of(stop, {steady}), (Batches{10}));
  const StopRule more{.min_samples = 15, .max_samples = 1000};
  EXPECT_EQ(batches_of(more, {steady}), (Batches{10, 10})) << "as many again as were tried";
}

TEST(Sampling, TakesAsManyAsItMayWhereTheMedianIsNot) {
  const StopRule stop{.min_samples = 5, .max_samples = 70};
  EXPECT_EQ(batches_of(stop, {wild}), (Batches{10, 10, 20, 30}));
}

TEST(Sampling, OneIsEnoughInTheSimulator) {
  const StopRule stop;
  EXPECT_EQ(batches_of(stop, {steady}), (Batches{1}));
}

TEST(Sampling, EndsWithItsTime) {
  const StopRule stop{.min_samples = 5, .max_samples = 1000, .cell_budget_s = 1};
  EXPECT_EQ(batches_of(stop, {wild, 0.9}), (Batches{10, 10}));
  EXPECT_EQ(batches_of(stop, {wild, 1.1}), (Batches{10})) << "no further batch";
}

TEST(Sampling, ARunawayIsCutShort) {
  const StopRule stop{.min_samples = 5, .max_samples = 1000, .cell_budget_s = 1};
  const auto batches_expecting = [&](double call_s) {
    Machine machine{[&](std::size_t) { return call_s; }};
    Sampling sampling(stop, [&] { return machine.now_s; });
    sampling.expect(call_s);
    return machine.run(sampling);
  };
  EXPECT_EQ(batches_expecting(30), (Batches{1}));
  EXPECT_EQ(batches_expecting(0.4), (Batches{2, 2}));
  EXPECT_EQ(batches_expecting(0.05), (Batches{10})) << "its median is known";
}

TEST(Sampling, ACellWithoutASampleGetsMoreTime) {
  const StopRule stop{.min_samples = 5, .max_samples = 100000, .cell_budget_s = 1};
  const Batches batches = batches_of(stop, {missed, 3});
  EXPECT_EQ(batches.size(), 4U) << "until ten seconds are over";
  const StopRule few{.min_samples = 1, .max_samples = 2, .cell_budget_s = 0.004};
  EXPECT_EQ(batches_of(few, {missed, 0.15}), Batches(7, 2)) << "for a second, however few it needs";
}

TEST(Sampling, EndsThoughEveryStartIsMissed) {
  const StopRule stop{.min_samples = 5, .max_samples = 100, .cell_budget_s = 0};
  const Batches batches = batches_of(stop, {missed});
  EXPECT_EQ(batches, (Batches{10, 10, 20, 40, 80, 100, 100}));
}

TEST(Sampling, KeepsMicrosecondsAndCountsTheRest) {
  const StopRule stop{.min_samples = 5, .max_samples = 100};
  Sampling sampling(stop, [] { return 0.0; });
  sampling.add({2e-6, kMissed, 3e-6, kDisturbed});
  EXPECT_EQ(sampling.samples_us(), (std::vector<double>{2, 3}));
  EXPECT_EQ(sampling.discarded(), 2U);
}

// Where a look at the clock takes time, it is not looked at without need.
TEST(Sampling, LooksAtTheClockOnlyWhereItDecides) {
  const StopRule stop;
  int looks = 0;
  Sampling sampling(stop, [&] { return static_cast<double>(++looks); });
  sampling.next_batch();
  sampling.add({1e-6});
  EXPECT_EQ(sampling.next_batch(), 0U);
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace colltree
