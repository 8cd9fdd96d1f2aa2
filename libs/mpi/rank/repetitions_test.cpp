// SPDX-License-Identifier: BSD-3-Clause
#include "rank/repetitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/random.h"

namespace colltree::rank {

namespace {

TEST(ClockOffset, IsThatOfTheSmallestRoundTrip) {
  // Rank 0's clock is 100 s before ours; the message there takes 1, 2, 3 s, the one back 5, 2, 2 s.
  const std::vector<PingPong> trials = {{0, 101, 6}, {10, 112, 14}, {20, 123, 25}};
  const OffsetEstimate estimate = estimate_offset(trials);
  EXPECT_DOUBLE_EQ(estimate.offset, -100) << "of the second, whose ways are equally long";
  EXPECT_DOUBLE_EQ(estimate.error, 2);
  EXPECT_DOUBLE_EQ(estimate.time, 112);
}

TEST(ClockOffset, IsNeverFurtherOffThanItsError) {
  SeededRandom random(3);
  const auto uniform = [&] { return static_cast<double>(random.below(1000001)) * 1e-6; };
  for (int round = 0; round < 200; ++round) {
    const double offset = 1000 * uniform() - 500;
    std::vector<PingPong> trials;
    for (int i = 0; i < 10; ++i) {
      const double sent = 1e4 + i;
      const double there = uniform();
      const double back = uniform();
      trials.push_back({sent, sent + there - offset, sent + there + back});
    }
    const OffsetEstimate estimate = estimate_offset(trials);
    EXPECT_LE(std::abs(estimate.offset - offset), estimate.error + 1e-9);
    EXPECT_LE(estimate.error, 1);
  }
}

TEST(ClockOffset, TheNewestUntilALineCanBeDrawn) {
  EXPECT_EQ(extrapolate_offset({}, 5), 0);
  EXPECT_EQ(extrapolate_offset({{.offset = 3, .time = 1}}, 5), 3);
  EXPECT_EQ(extrapolate_offset({{.offset = 3, .time = 1}, {.offset = 4, .time = 2}}, 5), 4);
  EXPECT_DOUBLE_EQ(
      extrapolate_offset(
          {{.offset = 3, .time = 1}, {.offset = 4, .time = 2}, {.offset = 5, .time = 3}}, 5),
      7);
  const OffsetEstimate same{.offset = 2, .time = 1};
  EXPECT_EQ(extrapolate_offset({same, same, same}, 5), 2) << "no time between them";
}

// Clocks count from the boot: after a year a drift of a microsecond in a second must still be seen.
TEST(ClockOffset, ADriftIsFollowedFarFromTheBoot) {
  constexpr double kYear = 3.2e7;
  std::deque<OffsetEstimate> estimates;
  for (int i = 0; i < 8; ++i) {
    const double noise = i % 2 == 0 ? 1e-8 : -1e-8;
    estimates.push_back({.offset = 12.5 + 1e-6 * i + noise, .time = kYear + i});
  }
  EXPECT_NEAR(extrapolate_offset(estimates, kYear + 10), 12.5 + 1e-5, 3e-8);
}

TEST(StartWindow, TheFirstStartIsFarEnoughForItsAnnouncement) {
  StartWindow window;
  EXPECT_DOUBLE_EQ(window.seconds(), 20e-6);
  EXPECT_DOUBLE_EQ(window.first_start(5), 5 + 200e-6);
  window.settle({0.25});
  EXPECT_DOUBLE_EQ(window.first_start(5), 6) << "two windows";
}

TEST(StartWindow, TwiceTheLongestCall) {
  StartWindow window;
  EXPECT_EQ(window.settle({1e-3, 3e-3, 2e-3}), (Durations{1e-3, 3e-3, 2e-3}));
  EXPECT_DOUBLE_EQ(window.seconds(), 6e-3);
  window.settle({1e-3});
  EXPECT_DOUBLE_EQ(window.seconds(), 2e-3) << "it shrinks again";
  window.settle({1e-9});
  EXPECT_DOUBLE_EQ(window.seconds(), 40e-6) << "not below twice the smallest";
  window.settle({100});
  EXPECT_DOUBLE_EQ(window.seconds(), 10);
}

TEST(StartWindow, MarksAreNoTimes) {
  StartWindow window;
  EXPECT_EQ(window.settle({1e-3, kLostCore, 2e-3}), (Durations{1e-3, kDisturbed, 2e-3}));
  EXPECT_DOUBLE_EQ(window.seconds(), 4e-3);
  EXPECT_LT(kLostCore, kLate) << "the largest of all ranks must be the worst";
}

TEST(StartWindow, GrowsWhenMoreThanATenthIsMissed) {
  StartWindow window;
  Durations batch(20, 1e-3);
  batch[0] = batch[1] = kLate;
  EXPECT_EQ(std::ranges::count(window.settle(batch), kMissed), 2);
  EXPECT_DOUBLE_EQ(window.seconds(), 2e-3) << "a tenth is fine";
  batch[2] = kLate;
  window.settle(batch);
  EXPECT_DOUBLE_EQ(window.seconds(), 8e-3);
  for (int i = 0; i < 20; ++i) window.settle({kLate});
  EXPECT_DOUBLE_EQ(window.seconds(), 10) << "the largest";
}

// A call that lasts longer than a window makes the next start late. Whatever it lasts, a few
// batches later most starts are met.
TEST(StartWindow, FindsCallsOfAnyLength) {
  for (const double call_s : {1e-6, 1e-4, 1e-2, 1.0}) {
    StartWindow window;
    std::size_t met = 0;
    for (int batch = 0; batch < 12; ++batch) {
      const double first = window.first_start(0);
      double now = 0;
      Durations longest;
      for (int i = 0; i < 10; ++i) {
        const double start = first + i * window.seconds();
        longest.push_back(now > start ? kLate : call_s);
        now = std::max(now, start) + call_s;
      }
      longest = window.settle(longest);
      met = static_cast<std::size_t>(std::ranges::count(longest, call_s));
    }
    EXPECT_EQ(met, 10U) << call_s;
    EXPECT_LE(window.seconds(), std::max(40e-6, 2 * call_s));
  }
}

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

Batches batches_of(const protocol::StopRule& stop, Machine machine) {
  Sampling sampling(stop, [&] { return machine.now_s; });
  return machine.run(sampling);
}

double steady(std::size_t) { return 1e-6; }
double wild(std::size_t i) { return i % 2 == 0 ? 1e-6 : 1e-3; }
double missed(std::size_t) { return kMissed; }

TEST(Sampling, EndsWhenTheMedianIsKnown) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 1000};
  EXPECT_EQ(batches_of(stop, {steady}), (Batches{10}));
  const protocol::StopRule more{.min_samples = 15, .max_samples = 1000};
  EXPECT_EQ(batches_of(more, {steady}), (Batches{10, 10})) << "as many again as were tried";
}

TEST(Sampling, TakesAsManyAsItMayWhereTheMedianIsNot) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 70};
  EXPECT_EQ(batches_of(stop, {wild}), (Batches{10, 10, 20, 30}));
}

TEST(Sampling, OneIsEnoughInTheSimulator) {
  const protocol::StopRule stop;
  EXPECT_EQ(batches_of(stop, {steady}), (Batches{1}));
}

TEST(Sampling, EndsWithItsTime) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 1000, .cell_budget_s = 1};
  EXPECT_EQ(batches_of(stop, {wild, 0.9}), (Batches{10, 10}));
  EXPECT_EQ(batches_of(stop, {wild, 1.1}), (Batches{10})) << "no further batch";
}

TEST(Sampling, ARunawayIsCutShort) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 1000, .cell_budget_s = 1};
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
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 100000, .cell_budget_s = 1};
  const Batches batches = batches_of(stop, {missed, 3});
  EXPECT_EQ(batches.size(), 4U) << "until ten seconds are over";
  const protocol::StopRule few{.min_samples = 1, .max_samples = 2, .cell_budget_s = 0.004};
  EXPECT_EQ(batches_of(few, {missed, 0.15}), Batches(7, 2)) << "for a second, however few it needs";
}

TEST(Sampling, EndsThoughEveryStartIsMissed) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 100, .cell_budget_s = 0};
  const Batches batches = batches_of(stop, {missed});
  EXPECT_EQ(batches, (Batches{10, 10, 20, 40, 80, 100, 100}));
}

TEST(Sampling, KeepsMicrosecondsAndCountsTheRest) {
  const protocol::StopRule stop{.min_samples = 5, .max_samples = 100};
  Sampling sampling(stop, [] { return 0.0; });
  sampling.add({2e-6, kMissed, 3e-6, kDisturbed});
  EXPECT_EQ(sampling.samples_us(), (std::vector<double>{2, 3}));
  EXPECT_EQ(sampling.discarded(), 2U);
}

// Where a look at the clock takes time, it is not looked at without need.
TEST(Sampling, LooksAtTheClockOnlyWhereItDecides) {
  const protocol::StopRule stop;
  int looks = 0;
  Sampling sampling(stop, [&] { return static_cast<double>(++looks); });
  sampling.next_batch();
  sampling.add({1e-6});
  EXPECT_EQ(sampling.next_batch(), 0U);
  EXPECT_EQ(looks, 1);
}

}  // namespace

}  // namespace colltree::rank
