// SPDX-License-Identifier: BSD-3-Clause
// What a block of the grid agrees on, and grid trees as rule trees.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/quadtree/grid_tree.h"
#include "model/test_cell_tree.h"

namespace colltree::model {
namespace {

TEST(Tally, TheMajorityIsTheHeaviestThenTheMostFrequentThenTheFirst) {
  Tally heavy(3);
  heavy.add(2, 1, 5);
  heavy.add(0, 4, 1);
  EXPECT_EQ(heavy.majority(), 2);
  Tally frequent(3);
  frequent.add(0, 1, 4);
  frequent.add(1, 4, 1);
  EXPECT_EQ(frequent.majority(), 1) << "four points of one, one point of four";
  Tally equal(3);
  equal.add(2, 2, 1);
  equal.add(1, 2, 1);
  EXPECT_EQ(equal.majority(), 1);
  Tally unweighted(2);  // no call falls here: the points decide
  unweighted.add(0, 1, 0);
  unweighted.add(1, 3, 0);
  EXPECT_EQ(unweighted.majority(), 1);
}

TEST(Tally, AgreesWhenTheMajorityHasItsShareOfTheWeight) {
  Tally tally(2);
  tally.add(0, 3, 1);
  tally.add(1, 1, 1);
  EXPECT_TRUE(tally.agrees(0.75));
  EXPECT_FALSE(tally.agrees(0.76));
  tally.add(1, 1, 2);
  EXPECT_FALSE(tally.agrees(0.75)) << "3 against 3";
  EXPECT_TRUE(tally.agrees(0.5));
  Tally weightless(2);
  weightless.add(0, 1, 0);
  weightless.add(1, 1, 0);
  EXPECT_TRUE(weightless.agrees(1));
}

TEST(Tally, DisorderIsTheEntropyTimesTheWeight) {
  Tally one(3);
  one.add(1, 7, 2);
  EXPECT_EQ(one.disorder(), 0);
  Tally half(2);
  half.add(0, 1, 3);
  half.add(1, 1, 3);
  EXPECT_NEAR(half.disorder(), 6 * std::log(2), 1e-12);
  Tally three(3);
  three.add(0, 1, 1);
  three.add(1, 2, 1);
  three.add(2, 1, 5);
  const double expected = -(std::log(1 / 8.0) + 2 * std::log(2 / 8.0) + 5 * std::log(5 / 8.0));
  EXPECT_NEAR(three.disorder(), expected, 1e-12);
}

LabelGrid random_grid(std::mt19937& random) {
  LabelGrid grid{.methods = {{"a", 0}, {"b", 0}, {"c", 0}},
                 .collectives = {Collective::kBcast},
                 .axes = {make_axis(Attribute::kCommunicatorSize, {2, 3, 8, 9, 30}),
                          make_axis(Attribute::kMessageSize, {0, 1, 64, 100, 1000, 70000})}};
  for (std::size_t i = 0; i < 30; ++i)
    grid.labels.push_back(static_cast<std::uint16_t>(random() % 3));
  return grid;
}

TEST(GridTree, LoweredDecidesEveryIntegerAsItsNearestPoint) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const LabelGrid grid = random_grid(random);
    GridTreeOptions options;
    options.max_depth = round % 2 == 0 ? std::optional<std::uint64_t>() : random() % 4;
    const CellTree tree = fit_grid_tree(grid, options).first;
    const RuleTree rules = lower(tree, grid.axes, grid.methods, grid.collectives);
    validate(rules);
    for (const std::uint64_t ranks : {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 30, 1000}) {
      for (const std::uint64_t bytes :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{9},
            std::uint64_t{80}, std::uint64_t{81}, std::uint64_t{316}, std::uint64_t{317},
            std::uint64_t{8366}, std::uint64_t{8367}, std::uint64_t{1} << 50}) {
        const Instance at{Collective::kBcast, ranks, bytes};
        ASSERT_EQ(decide(rules, at),
                  grid.methods[decide_at(tree, {grid.axes[0].index(at), grid.axes[1].index(at)})])
            << ranks << " ranks, " << bytes << " B";
      }
    }
  }
}

}  // namespace
}  // namespace colltree::model
