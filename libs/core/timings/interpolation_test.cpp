// SPDX-License-Identifier: BSD-3-Clause
// Against the sentence of interpolation.h, computed anew from the instances alone.
#include "timings/interpolation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "timings/test_times.h"

namespace colltree {
namespace {

using testing::RandomTable;

double octave(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

struct Asked {
  const Timings& timings;
  const RandomTable& table;

  // The instance at these places of the two axes; none: a hole.
  const Instance* at(std::size_t row, std::size_t column) const {
    for (const Instance& one : timings.instances) {
      if (one.communicator_size == table.ranks[row] && one.message_size == table.bytes[column])
        return &one;
    }
    return nullptr;
  }
  double time(const Instance* at, std::size_t method) const {
    return timings.time_at(static_cast<std::size_t>(at - timings.instances.data()), method)
        .known_us();
  }

  // From two lists of the axis's points on either side, nearest first.
  static std::optional<double> between(const std::vector<std::pair<double, double>>& below,
                                       const std::vector<std::pair<double, double>>& above,
                                       double where) {
    if (below.empty() || above.empty()) return std::nullopt;
    const auto [low_at, low] = below.front();
    const auto [high_at, high] = above.front();
    return low + (where - low_at) / (high_at - low_at) * (high - low);
  }

  double expected(std::size_t row, std::size_t column, std::size_t method) const {
    std::vector<std::pair<double, double>> left, right, up, down;
    for (std::size_t c = 0; c < table.bytes.size(); ++c) {
      const Instance* there = at(row, c);
      if (there == nullptr) continue;
      const std::pair point(octave(table.bytes[c]), std::log(time(there, method)));
      if (c < column) left.insert(left.begin(), point);
      if (c > column) right.push_back(point);
    }
    for (std::size_t r = 0; r < table.ranks.size(); ++r) {
      const Instance* there = at(r, column);
      if (there == nullptr) continue;
      const std::pair point(octave(table.ranks[r]), std::log(time(there, method)));
      if (r < row) up.insert(up.begin(), point);
      if (r > row) down.push_back(point);
    }
    const auto along_bytes = between(left, right, octave(table.bytes[column]));
    const auto along_ranks = between(up, down, octave(table.ranks[row]));
    if (along_bytes && along_ranks) return std::exp((*along_bytes + *along_ranks) / 2);
    if (along_bytes) return std::exp(*along_bytes);
    return along_ranks ? std::exp(*along_ranks) : kNoTime;
  }

  double nearest(std::size_t row, std::size_t column, std::size_t method) const {
    double least = INFINITY;
    const Instance* found = nullptr;
    for (const Instance& one : timings.instances) {
      const double away = std::hypot(octave(one.communicator_size) - octave(table.ranks[row]),
                                     octave(one.message_size) - octave(table.bytes[column]));
      if (away < least - 1e-12) {
        least = away;
        found = &one;
      }
    }
    return time(found, method);
  }
};

TEST(Interpolation, OfHolesIsWhatTheDefinitionSays) {
  std::size_t holes = 0;
  std::size_t from_nearest = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomTable table{.holes = 0.35, .cannot_run = seed % 3 == 0 ? 0.3 : 0.0};
    const Timings timings = testing::random_timings(table, seed);
    const InstanceGrid grid = make_map_grid(timings);
    // Every size was measured somewhere, or rows and columns would not be the table's.
    if (grid.cells() != table.ranks.size() * table.bytes.size()) continue;
    const Asked asked{timings, table};
    for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
      if (grid.instance[cell]) continue;
      const std::size_t row = cell / table.bytes.size();
      const std::size_t column = cell % table.bytes.size();
      std::vector<double> expected;
      bool any = false;
      for (std::size_t m = 0; m < table.methods; ++m) {
        expected.push_back(asked.expected(row, column, m));
        any = any || !std::isnan(expected.back());
      }
      const std::vector<double> found = interpolated_times(grid, timings, cell);
      ASSERT_EQ(found.size(), table.methods);
      for (std::size_t m = 0; m < table.methods; ++m) {
        const double one = any ? expected[m] : asked.nearest(row, column, m);
        ASSERT_EQ(std::isnan(found[m]), std::isnan(one)) << seed << " " << cell;
        if (!std::isnan(one)) {
          ASSERT_NEAR(found[m], one, 1e-9 * one) << seed << " " << cell;
        }
      }
      ++holes;
      from_nearest += any ? 0 : 1;
    }
  }
  EXPECT_GT(holes, 300U);
  EXPECT_GT(from_nearest, 20U);
}

// On a full grid both ways of LogLogTimes are the bilinear surface.
double bilinear(const Timings& timings, const RandomTable& table, const Instance& at,
                std::size_t method) {
  const auto place = [](const std::vector<std::uint64_t>& sizes, std::uint64_t size) {
    std::size_t low = 0;
    while (low + 2 < sizes.size() && sizes[low + 1] <= size) ++low;
    const double share =
        (octave(size) - octave(sizes[low])) / (octave(sizes[low + 1]) - octave(sizes[low]));
    return std::pair(low, std::clamp(share, 0.0, 1.0));
  };
  const auto [row, down] = place(table.ranks, at.communicator_size);
  const auto [column, right] = place(table.bytes, at.message_size);
  const auto log_time = [&](std::size_t r, std::size_t c) {
    return std::log(timings.time_at(r * table.bytes.size() + c, method).known_us());
  };
  return (1 - down) * ((1 - right) * log_time(row, column) + right * log_time(row, column + 1)) +
         down * ((1 - right) * log_time(row + 1, column) + right * log_time(row + 1, column + 1));
}

TEST(LogLogTimes, ChoosesTheLeastOfTheBilinearSurface) {
  const RandomTable table;
  SeededRandom random(4);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Timings timings = testing::random_timings(table, seed);
    const LogLogTimes times(timings);
    for (int i = 0; i < 100; ++i) {
      const Instance at{Collective::kBcast, 1 + random.below(60), random.below(80000)};
      std::size_t best = 0;
      for (std::size_t m = 1; m < table.methods; ++m) {
        if (bilinear(timings, table, at, m) < bilinear(timings, table, at, best)) best = m;
      }
      ASSERT_EQ(times.choose(at), timings.methods[best])
          << at.communicator_size << " ranks, " << at.message_size << " B";
    }
  }
}

TEST(LogLogTimes, AtMeasuredPointsChooseTheBest) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Timings timings = testing::random_timings({.holes = 0.3, .cannot_run = 0.2}, seed);
    const LogLogTimes times(timings);
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const auto best = timings.best_at(i);
      if (best) {
        ASSERT_EQ(times.choose(timings.instances[i]), timings.methods[*best]) << seed;
      }
    }
  }
}

TEST(LogLogTimes, WithoutAMethodAtAllPointsTheNearestDecides) {
  Timings timings{.methods = {{"a", 0}, {"b", 0}},
                  .instances = {{Collective::kBcast, 2, 1},
                                {Collective::kBcast, 2, 16},
                                {Collective::kBcast, 4, 1},
                                {Collective::kBcast, 4, 16}},
                  .time_us = {1, kNoTime, 1, 2, 1, 2, kNoTime, 2},
                  .default_us = {1, 1, 1, 1}};
  const LogLogTimes times(timings);
  EXPECT_EQ(times.choose({Collective::kBcast, 3, 12}).algorithm, "b");
  EXPECT_EQ(times.choose({Collective::kBcast, 2, 2}).algorithm, "a");
}

TEST(InstanceGrid, NeighboursAreTheNearestKnownOnALine) {
  const RandomTable table{.holes = 0.4};
  const Timings timings = testing::random_timings(table, 8);
  const InstanceGrid grid = make_map_grid(timings);
  ASSERT_EQ(grid.cells(), 36U);
  EXPECT_EQ(grid.stride(0), 6U);
  EXPECT_EQ(grid.stride(1), 1U);
  const auto known = [&](std::size_t cell) { return grid.instance[cell].has_value(); };
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    for (const std::size_t axis : {0, 1}) {
      for (const bool upwards : {false, true}) {
        const auto found = next_along(grid, cell, axis, upwards, known);
        const std::size_t place = axis == 0 ? cell / 6 : cell % 6;
        std::optional<std::size_t> expected;
        for (std::size_t step = 1; step <= (upwards ? 5 - place : place) && !expected; ++step) {
          const std::size_t far = step * (axis == 0 ? 6 : 1);
          const std::size_t there = upwards ? cell + far : cell - far;
          if (known(there)) expected = there;
        }
        ASSERT_EQ(found.has_value(), expected.has_value());
        if (!found) continue;
        EXPECT_EQ(found->cell, *expected);
        const std::uint64_t from = axis == 0 ? table.ranks[cell / 6] : table.bytes[cell % 6];
        const std::uint64_t to =
            axis == 0 ? table.ranks[*expected / 6] : table.bytes[*expected % 6];
        EXPECT_NEAR(found->octaves, std::fabs(octave(to) - octave(from)), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace colltree
