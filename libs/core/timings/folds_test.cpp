// SPDX-License-Identifier: BSD-3-Clause
#include "timings/folds.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/test_scratch.h"
#include "timings/test_times.h"

namespace colltree {
namespace {

using Sizes = std::set<std::uint64_t>;

TEST(HeldOutWords, AreReadBackOnceEach) {
  EXPECT_EQ(parse_held_out("blocks, message_sizes,blocks"),
            (std::vector{HeldOut::kBlocks, HeldOut::kMessageSizes}));
  for (const HeldOut one : {HeldOut::kCommunicatorSizes, HeldOut::kMessageSizes, HeldOut::kBlocks})
    EXPECT_EQ(parse_held_out(name(one)), std::vector{one});
  EXPECT_EQ(error_of([] { parse_held_out("blocks,sizes"); }),
            "--held-out: unknown 'sizes'; known are communicator_sizes, message_sizes, blocks");
}

// What is held out together must be all instances of a size, and the folds nearly equal.
void expect_whole_sizes(HeldOut held_out, std::uint64_t Instance::*size, std::size_t sizes) {
  const std::vector<Timings> timings = {testing::random_timings({.holes = 0.2}, 5)};
  for (std::size_t k = 2; k <= 8; ++k) {
    const Folds folds(timings, {held_out, k, 11});
    ASSERT_EQ(folds.count(), std::min(k, sizes));
    std::map<std::uint64_t, std::size_t> fold_of;
    for (const Instance& at : timings[0].instances) {
      const auto [found, fresh] = fold_of.emplace(at.*size, folds.fold(at));
      ASSERT_EQ(found->second, folds.fold(at)) << at.*size;
    }
    std::map<std::size_t, std::size_t> count;
    for (const auto& [value, fold] : fold_of) ++count[fold];
    ASSERT_EQ(count.size(), folds.count());
    for (const auto& [fold, of] : count) {
      EXPECT_GE(of, sizes / folds.count());
      EXPECT_LE(of, (sizes + folds.count() - 1) / folds.count());
    }
  }
}

TEST(Folds, LeaveOutWholeCommunicatorSizes) {
  expect_whole_sizes(HeldOut::kCommunicatorSizes, &Instance::communicator_size, 6);
}

TEST(Folds, LeaveOutWholeMessageSizes) {
  expect_whole_sizes(HeldOut::kMessageSizes, &Instance::message_size, 6);
}

TEST(Folds, BlocksAreALatinSquare) {
  const std::vector<Timings> timings = {testing::random_timings({}, 5)};
  for (std::size_t k = 2; k <= 6; ++k) {
    const Folds folds(timings, {HeldOut::kBlocks, k, 3});
    ASSERT_EQ(folds.count(), k);
    // Without any fold every size stays known, and each fold takes a block of every run.
    for (std::size_t fold = 0; fold < k; ++fold) {
      const FoldParts parts = part(timings, folds, fold);
      Sizes ranks, bytes, groups;
      for (const Instance& at : parts.rest[0].instances) {
        ranks.insert(at.communicator_size);
        bytes.insert(at.message_size);
      }
      for (const Instance& at : parts.left_out[0].instances) groups.insert(folds.group(at));
      EXPECT_EQ(ranks.size(), 6U);
      EXPECT_EQ(bytes.size(), 6U);
      EXPECT_EQ(groups.size(), k);
    }
    // Runs are of neighbours: the group never goes back along an axis.
    for (std::size_t i = 1; i < timings[0].instances.size(); ++i) {
      const Instance& before = timings[0].instances[i - 1];
      const Instance& at = timings[0].instances[i];
      if (at.communicator_size == before.communicator_size) {
        EXPECT_LE(folds.group(before), folds.group(at));
      }
    }
  }
}

TEST(Folds, OfInstancesBetweenAndBeyondTheSizesAreThoseOfASize) {
  const std::vector<Timings> timings = {testing::random_timings({}, 5)};
  const Folds folds(timings, {HeldOut::kMessageSizes, 3, 1});
  const auto fold = [&](std::uint64_t bytes) { return folds.fold({Collective::kBcast, 7, bytes}); };
  EXPECT_EQ(fold(9), fold(100));
  EXPECT_EQ(fold(101), fold(4096));
  EXPECT_EQ(fold(UINT64_MAX), fold(65536));
}

TEST(Folds, ASeedIsADivisionForAllCollectives) {
  const std::vector<Timings> timings = {
      testing::random_timings({.ranks = {2, 4, 8, 16}}, 1),
      testing::random_timings({.ranks = {3, 4, 9, 16, 33}}, 2, Collective::kReduce)};
  const auto folds_of = [&](std::uint64_t seed) {
    const Folds folds(timings, {HeldOut::kCommunicatorSizes, 4, seed});
    std::vector<std::size_t> all;
    for (const Timings& one : timings) {
      for (const Instance& at : one.instances) {
        all.push_back(folds.fold(at));
        Instance other = at;
        other.collective = Collective::kScan;
        EXPECT_EQ(folds.fold(other), all.back());
      }
    }
    return all;
  };
  EXPECT_EQ(folds_of(1), folds_of(1));
  std::set<std::vector<std::size_t>> different;
  for (std::uint64_t seed = 0; seed < 8; ++seed) different.insert(folds_of(seed));
  EXPECT_GE(different.size(), 4U);
}

TEST(Folds, WhatCannotBeFittedIsSaid) {
  const std::vector<Timings> one_size = {testing::random_timings({.ranks = {4}}, 1)};
  EXPECT_EQ(error_of([&] {
              Folds(one_size, {HeldOut::kCommunicatorSizes, 5, 1});
            }),
            "bcast: nothing would be left to fit when communicator_sizes are held out: all 6 "
            "instances are in one fold; hold out message_sizes, or measure more communicator "
            "sizes");
  const std::vector<Timings> one_message = {testing::random_timings({.bytes = {4}}, 1)};
  EXPECT_EQ(error_of([&] {
              Folds(one_message, {HeldOut::kMessageSizes, 5, 1});
            }),
            "bcast: nothing would be left to fit when message_sizes are held out: all 6 instances "
            "are in one fold; measure more sizes");
  EXPECT_EQ(error_of([&] {
              Folds(one_size, {HeldOut::kMessageSizes, 1, 1});
            }),
            "--folds: must be 2 or more, not 1");
}

TEST(Folds, PartsKeepTheirTimes) {
  const std::vector<Timings> timings = {testing::random_timings({.cannot_run = 0.2}, 9)};
  const Folds folds(timings, {HeldOut::kBlocks, 3, 1});
  const FoldParts parts = part(timings, folds, 1);
  std::size_t seen = 0;
  for (const Timings* side : {&parts.rest[0], &parts.left_out[0]}) {
    for (std::size_t i = 0; i < side->instances.size(); ++i) {
      const auto whole =
          static_cast<std::size_t>(std::ranges::find(timings[0].instances, side->instances[i]) -
                                   timings[0].instances.begin());
      for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_EQ(side->time_at(i, m).kind(), timings[0].time_at(whole, m).kind());
        if (!side->time_at(i, m).is_impossible()) {
          EXPECT_EQ(side->time_at(i, m).known_us(), timings[0].time_at(whole, m).known_us());
          EXPECT_FALSE(side->time_at(i, m).interval());
        }
      }
      ++seen;
    }
  }
  EXPECT_EQ(seen, 36U);
}

}  // namespace
}  // namespace colltree
