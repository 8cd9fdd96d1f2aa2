// SPDX-License-Identifier: BSD-3-Clause
// The search against every tree there is, on grids small enough to write them all down.
#include "model/optimal/frontier_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/test_sample.h"
#include "model/optimal/test_grid.h"

namespace colltree::optimal {
namespace {

using testing::AllTrees;
using testing::Cells;
using testing::Partition;
using testing::pick;
using testing::Random;
using testing::RandomGrid;

double leaf_cost(const CostCube& cube, Combine how, Cells cells) {
  double best = kNotAllowed;
  for (std::size_t m = 0; m < cube.methods; ++m) {
    double sum = 0;
    for (std::size_t cell = 0; cell < cube.cells; ++cell) {
      if (cells >> cell & 1) sum = combine(how, sum, cube.cost_of(cell, m));
    }
    best = std::min(best, sum);
  }
  return best;
}

// The least cost of a tree with at most `leaves` leaves, by leaves - 1.
std::vector<double> brute_force(const RandomGrid& grid, Combine how, std::size_t most_leaves) {
  AllTrees trees(grid.all_cells(), grid.tests());
  std::vector<double> frontier;
  double best = kNotAllowed;
  for (std::size_t leaves = 1; leaves <= most_leaves; ++leaves) {
    for (const Partition& partition : trees.partitions(leaves)) {
      double cost = 0;
      for (const Cells cells : partition) {
        cost = combine(how, cost, leaf_cost(grid.cube, how, cells));
      }
      best = std::min(best, cost);
    }
    frontier.push_back(best);
  }
  return frontier;
}

void expect_frontier(const RandomGrid& grid, Combine how, std::size_t most_leaves) {
  const BoxSpace space(grid.axes());
  FrontierTable table(grid.cube, space, how, most_leaves);
  ASSERT_TRUE(table.fill({}));
  const std::vector<double> expected = brute_force(grid, how, most_leaves);
  const std::span<const double> found = table.root();
  ASSERT_LE(found.size(), most_leaves);
  for (std::size_t k = 1; k <= most_leaves; ++k) {
    const double cost = found[std::min(k, found.size()) - 1];
    ASSERT_EQ(cost, expected[k - 1]) << k << " leaves";
    if (cost == kNotAllowed) continue;
    const CellTree tree = table.tree(k);
    ASSERT_EQ(total(cell_costs(tree, space, grid.cube), how), cost);
    // The fewest leaves that reach this cost, not merely enough of them.
    const auto fewest = std::ranges::find(expected, cost) - expected.begin() + 1;
    ASSERT_EQ(leaves_of(tree), static_cast<std::size_t>(fewest));
  }
}

TEST(FrontierTable, AgreesWithEveryTreeOnTwoAxes) {
  for (const std::size_t i : testing::sampled(3000)) {
    SCOPED_TRACE(i);
    Random random(i);
    const RandomGrid grid(random, {pick(random, 1, 4), pick(random, 1, 4)}, false);
    expect_frontier(grid, i % 2 == 0 ? Combine::kSum : Combine::kMax, pick(random, 1, 5));
    if (HasFatalFailure()) return;
  }
}

TEST(FrontierTable, AgreesWithEveryTreeWithThePowerOfTwoTest) {
  for (const std::size_t i : testing::sampled(2000)) {
    SCOPED_TRACE(i);
    Random random(i);
    const RandomGrid grid(random, {pick(random, 1, 6), pick(random, 1, 3)}, true);
    expect_frontier(grid, i % 2 == 0 ? Combine::kSum : Combine::kMax, pick(random, 1, 5));
    if (HasFatalFailure()) return;
  }
}

TEST(FrontierTable, AgreesWithEveryTreeOnThreeAxes) {
  for (const std::size_t i : testing::sampled(600)) {
    SCOPED_TRACE(i);
    Random random(i);
    const RandomGrid grid(random, {pick(random, 1, 3), pick(random, 1, 3), pick(random, 1, 3)},
                          i % 3 == 0, i % 2 == 0);
    expect_frontier(grid, i % 4 < 2 ? Combine::kSum : Combine::kMax, pick(random, 1, 5));
    if (HasFatalFailure()) return;
  }
}

// Longer frontiers than a tiny grid has, against the same recursion written plainly: the least cost
// of rows i..j and columns a..b for each greatest number of leaves.
class PlainRecursion {
 public:
  PlainRecursion(const CostCube& cube, std::size_t rows, std::size_t columns,
                 std::size_t most_leaves)
      : cube_(cube),
        rows_(rows),
        columns_(columns),
        most_leaves_(most_leaves),
        known_(rows * rows * columns * columns * most_leaves, kUnknown) {}

  double cost(std::size_t i, std::size_t j, std::size_t a, std::size_t b, std::size_t leaves) {
    const std::size_t box = ((i * rows_ + j) * columns_ + a) * columns_ + b;
    double& known = known_[box * most_leaves_ + leaves - 1];
    if (known == kUnknown) known = found(i, j, a, b, leaves);
    return known;
  }

 private:
  double found(std::size_t i, std::size_t j, std::size_t a, std::size_t b, std::size_t leaves) {
    double best = kNotAllowed;
    for (std::size_t m = 0; m < cube_.methods; ++m) {
      double sum = 0;
      for (std::size_t r = i; r <= j; ++r) {
        for (std::size_t c = a; c <= b; ++c) sum += cube_.cost_of(r * columns_ + c, m);
      }
      best = std::min(best, sum);
    }
    for (std::size_t k = 1; k < leaves; ++k) {
      for (std::size_t r = i; r < j; ++r) {
        best = std::min(best, cost(i, r, a, b, k) + cost(r + 1, j, a, b, leaves - k));
      }
      for (std::size_t c = a; c < b; ++c) {
        best = std::min(best, cost(i, j, a, c, k) + cost(i, j, c + 1, b, leaves - k));
      }
    }
    return best;
  }

  static constexpr double kUnknown = -1;
  const CostCube& cube_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t most_leaves_;
  std::vector<double> known_;
};

TEST(FrontierTable, LongFrontiersAgreeWithThePlainRecursion) {
  Random random(4);
  for (const std::size_t most_leaves : {9, 18, 23, 36, 45}) {
    const RandomGrid grid(random, {5, 7}, false);
    const BoxSpace space(grid.axes());
    FrontierTable table(grid.cube, space, Combine::kSum, most_leaves);
    ASSERT_TRUE(table.fill({}));
    PlainRecursion plain(grid.cube, 5, 7, most_leaves);
    for (std::size_t k = 1; k <= most_leaves; ++k) {
      EXPECT_EQ(table.root()[std::min(k, table.root().size()) - 1], plain.cost(0, 4, 0, 6, k));
    }
  }
}

TEST(FrontierTable, SaysWhenALimitStopsIt) {
  Random random(5);
  const RandomGrid grid(random, {3, 3}, false);
  const BoxSpace space(grid.axes());
  FrontierTable table(grid.cube, space, Combine::kSum, 4);
  EXPECT_FALSE(table.fill({.deadline = SearchLimits::Clock::now()}));
  EXPECT_FALSE(table.fill({.memory_bytes = 100}));
  EXPECT_TRUE(table.fill({}));
}

}  // namespace
}  // namespace colltree::optimal
