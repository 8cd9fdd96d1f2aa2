// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "evaluate/points.h"

namespace colltree::evaluate {
namespace {

// Each row of `times` is one communicator size (2, 4, 8, ...), each cell {a, b}; message sizes 1,
// 4, 16, ... A time of 0 was not measured.
Timings table(const std::vector<std::vector<std::pair<double, double>>>& times) {
  Timings timings;
  timings.system = "s";
  timings.methods = {{"a", 0}, {"b", 0}};
  for (std::size_t row = 0; row < times.size(); ++row) {
    for (std::size_t column = 0; column < times[row].size(); ++column) {
      timings.instances.push_back(
          {Collective::kBcast, std::uint64_t{2} << row, std::uint64_t{1} << (2 * column)});
      for (const double time : {times[row][column].first, times[row][column].second}) {
        timings.time_us.push_back(time == 0 ? kNoTime : time);
      }
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

// a wins on 2 and 4 ranks, b on 8 and 16. Each held-out size takes what its nearest neighbour says;
// 4 ranks are as near to 2 as to 8, and a tie goes to the first.
TEST(HeldOut, IsWhatTheNeighboursSay) {
  const Timings timings = table({{{1, 2}}, {{1, 3}}, {{5, 1}}, {{9, 1}}});
  const Folds folds({timings}, {HeldOut::kCommunicatorSizes, 4, 1});
  const PenaltyPoints map = held_out_points({timings}, folds, exact_map())[0];
  ASSERT_EQ(map.values.size(), 4U);
  std::map<std::uint64_t, double> by_ranks;
  for (std::size_t i = 0; i < 4; ++i) by_ranks[map.instances[i].communicator_size] = map.values[i];
  EXPECT_EQ(by_ranks, (std::map<std::uint64_t, double>{{2, 0}, {4, 0}, {8, 4}, {16, 0}}));
  // The fixed method without 2 ranks: a costs (0 + 4 + 8) / 3, b (2 + 0 + 0) / 3: b, which costs 1.
  const PenaltyPoints fixed = held_out_points({timings}, folds, best_fixed())[0];
  by_ranks.clear();
  for (std::size_t i = 0; i < 4; ++i)
    by_ranks[fixed.instances[i].communicator_size] = fixed.values[i];
  EXPECT_EQ(by_ranks, (std::map<std::uint64_t, double>{{2, 1}, {4, 2}, {8, 0}, {16, 0}}));
}

TEST(HeldOut, AMethodThatCannotRunIsCountedNotAveraged) {
  const Timings timings = table({{{1, 2}}, {{1, 3}}, {{0, 1}}});
  const Folds folds({timings}, {HeldOut::kCommunicatorSizes, 3, 1});
  const PenaltyPoints points = held_out_points({timings}, folds, exact_map())[0];
  EXPECT_EQ(points.values.size(), 2U);
  ASSERT_EQ(points.cannot_run.size(), 1U);
  EXPECT_EQ(points.cannot_run[0].instance.communicator_size, 8U);
}

TEST(References, TheExactMapLosesNothingOnItsPoints) {
  const Timings timings = table({{{1, 2}, {2, 1}}, {{3, 1}, {1, 3}}});
  const FittedChooser map = exact_map().fit({timings});
  EXPECT_EQ(summarize(penalty_points(timings, map.choose)).max, 0);
  EXPECT_EQ(map.choose({Collective::kBcast, 1000, 5}).algorithm, "a");
}

// Log-linear times: a = 1, 4 and b = 3, 2 at 1 and 4 bytes cross where a = b.
TEST(References, InterpolationFindsTheCrossing) {
  const Timings timings = table({{{1, 4}, {16, 4}}, {{1, 4}, {16, 4}}});
  const FittedChooser times = interpolation().fit({timings});
  EXPECT_EQ(summarize(penalty_points(timings, times.choose)).max, 0);
  const auto at = [&](std::uint64_t ranks, std::uint64_t bytes) {
    return times.choose({Collective::kBcast, ranks, bytes}).algorithm;
  };
  EXPECT_EQ(at(2, 1), "a");  // a = 1
  EXPECT_EQ(at(2, 2), "a");  // a = 4, b = 4: a tie goes to the first
  EXPECT_EQ(at(3, 3), "b");  // a = 4^(2 log4 3) = 9
  EXPECT_EQ(at(500, 1 << 20), "b");
}

TEST(References, InterpolationAsksForNoMethodThatIsMissingBeside) {
  const Timings timings = table({{{1, 2}}, {{0, 2}}});
  const FittedChooser times = interpolation().fit({timings});
  EXPECT_EQ(times.choose({Collective::kBcast, 2, 1}).algorithm, "a");
  EXPECT_EQ(times.choose({Collective::kBcast, 3, 1}).algorithm, "b");
  EXPECT_EQ(times.choose({Collective::kBcast, 4, 1}).algorithm, "b");
}

}  // namespace
}  // namespace colltree::evaluate
