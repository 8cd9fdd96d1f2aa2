// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/rank/common_start.h"

namespace colltree {
namespace {

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

}  // namespace
}  // namespace colltree
