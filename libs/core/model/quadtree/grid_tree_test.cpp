// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/error.h"
#include "model/test_cell_tree.h"
#include "model/test_models.h"

namespace colltree::model {
namespace {

LabelGrid grid_of(const std::vector<std::vector<std::uint16_t>>& rows) {
  DecisionMap map;
  map.methods = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}};
  std::vector<std::uint64_t> ranks;
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < rows.size(); ++i) ranks.push_back(2 + i);
  for (std::size_t i = 0; i < rows[0].size(); ++i) bytes.push_back(1U << i);
  map.axes = {make_axis(Attribute::kCommunicatorSize, ranks),
              make_axis(Attribute::kMessageSize, bytes)};
  for (const auto& row : rows) map.best.insert(map.best.end(), row.begin(), row.end());
  return make_label_grid(map);
}

std::vector<std::uint16_t> decisions(const LabelGrid& grid, const CellTree& tree) {
  std::vector<std::uint16_t> all;
  for (std::size_t row = 0; row < grid.axes[0].size(); ++row) {
    for (std::size_t column = 0; column < grid.axes[1].size(); ++column) {
      all.push_back(decide_at(tree, {row, column}));
    }
  }
  return all;
}

// The paper's words, done the slow way: blow the grid up, count every place of a block.
struct SquareOracle {
  const LabelGrid& grid;
  GridTreeOptions options;
  std::size_t side = 1;
  std::vector<std::uint16_t> square;
  std::uint64_t leaves = 0;
  std::uint64_t nodes = 0;

  SquareOracle(const LabelGrid& the_grid, const GridTreeOptions& the_options)
      : grid(the_grid), options(the_options) {
    const std::size_t n = grid.axes[0].size();
    const std::size_t m = grid.axes[1].size();
    while (side < std::max(n, m)) side *= 2;
    const auto place = [&](std::size_t i, std::size_t values) {
      return options.reshape == Reshape::kEnd ? std::min(i, values - 1) : i * values / side;
    };
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        square.push_back(grid.labels[place(i, n) * m + place(j, m)]);
      }
    }
  }

  void encode(std::size_t top, std::size_t left, std::size_t size, std::uint64_t depth) {
    ++nodes;
    std::map<std::uint16_t, std::size_t> count;
    for (std::size_t i = top; i < top + size; ++i) {
      for (std::size_t j = left; j < left + size; ++j) ++count[square[i * side + j]];
    }
    auto best = count.begin();
    for (auto it = count.begin(); it != count.end(); ++it) {
      if (it->second > best->second) best = it;
    }
    const double share = static_cast<double>(best->second) / static_cast<double>(size * size);
    if (size == 1 || depth == options.max_depth || share >= options.accuracy_threshold) {
      ++leaves;
      for (std::size_t i = top; i < top + size; ++i) {
        for (std::size_t j = left; j < left + size; ++j) square[i * side + j] = best->first;
      }
      return;
    }
    const std::size_t half = size / 2;
    for (const std::size_t i : {top, top + half}) {
      for (const std::size_t j : {left, left + half}) encode(i, j, half, depth + 1);
    }
  }
};

TEST(Quadtree, OneColourIsOneLeaf) {
  const CellTree tree = fit_grid_tree(grid_of({{1, 1, 1}, {1, 1, 1}}), {}).first;
  EXPECT_EQ(tree.size(), 1U);
  EXPECT_EQ(tree[0].method, 1U);
}

TEST(Quadtree, FourColoursAreFourLeavesInReadingOrder) {
  const LabelGrid grid = grid_of({{0, 1}, {2, 3}});
  const CellTree tree = fit_grid_tree(grid, {}).first;
  ASSERT_EQ(tree.size(), 7U);
  EXPECT_EQ(tree[0].axis, 0U);
  EXPECT_EQ(tree[1].axis, 1U);
  EXPECT_EQ(tree[4].axis, 1U);
  EXPECT_EQ(decisions(grid, tree), grid.labels);
}

TEST(Quadtree, EndPaddingMovesTheMiddle) {
  // 5 values on 8 places: the first half holds values 0 to 3, the second only value 4;
  // spread evenly, the second half starts with value 2.
  const LabelGrid grid = grid_of({{0, 0, 0, 0, 1}});
  const CellTree end = fit_grid_tree(grid, {.reshape = Reshape::kEnd, .max_depth = 1}).first;
  EXPECT_EQ(end[1].cut, 4U);
  EXPECT_EQ(decisions(grid, end), grid.labels);
  const CellTree even = fit_grid_tree(grid, {.reshape = Reshape::kEven, .max_depth = 1}).first;
  EXPECT_EQ(even[1].cut, 2U);
  EXPECT_NE(decisions(grid, even), grid.labels);
}

TEST(Quadtree, TiesGoToTheLowestIndex) {
  const LabelGrid grid = grid_of({{3, 2}, {2, 3}});
  EXPECT_EQ(fit_grid_tree(grid, {.max_depth = 0}).first[0].method, 2U);
}

TEST(Quadtree, AgreesWithCountingEveryPlace) {
  testing::Random random(7);
  for (int round = 0; round < 300; ++round) {
    const DecisionMap map =
        testing::random_map(random, testing::pick(random, 1, 12), testing::pick(random, 1, 20), 5);
    const LabelGrid grid = make_label_grid(map);
    GridTreeOptions options;
    options.reshape = testing::pick(random, 0, 1) == 0 ? Reshape::kEnd : Reshape::kEven;
    if (testing::pick(random, 0, 1) == 0) options.max_depth = testing::pick(random, 0, 5);
    if (testing::pick(random, 0, 1) == 0) {
      options.accuracy_threshold = static_cast<double>(testing::pick(random, 1, 64)) / 64;
    }
    SquareOracle oracle(grid, options);
    oracle.encode(0, 0, oracle.side, 0);
    const auto [tree, shape] = fit_grid_tree(grid, options);
    EXPECT_EQ(shape.leaves, oracle.leaves);
    EXPECT_EQ(shape.nodes, oracle.nodes);
    // The first place that shows a grid index decides for it.
    const std::size_t n = grid.axes[0].size();
    const std::size_t m = grid.axes[1].size();
    const auto first = [&](std::size_t index, std::size_t values) {
      if (options.reshape == Reshape::kEnd) return index;
      std::size_t place = 0;
      while (place * values / oracle.side != index) ++place;
      return place;
    };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        ASSERT_EQ(decide_at(tree, {i, j}), oracle.square[first(i, n) * oracle.side + first(j, m)]);
      }
    }
  }
}

TEST(Quadtree, ExactTreesTellTheWholeMap) {
  testing::Random random(3);
  for (const Reshape reshape : {Reshape::kEnd, Reshape::kEven, Reshape::kNone}) {
    const LabelGrid grid = make_label_grid(testing::random_map(random, 25, 48, 9));
    EXPECT_EQ(decisions(grid, fit_grid_tree(grid, {.reshape = reshape}).first), grid.labels);
  }
}

TEST(Kdtree, CutsWhereTheMethodsChange) {
  const LabelGrid grid = grid_of({{0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {2, 2, 2, 2, 2}});
  const auto [tree, shape] = fit_grid_tree(grid, {.reshape = Reshape::kNone});
  EXPECT_EQ(decisions(grid, tree), grid.labels);
  EXPECT_EQ(shape.leaves, 3U);
  EXPECT_LT(shape.nodes, fit_grid_tree(grid, {}).second.nodes);
}

TEST(Kdtree, HonoursTheDepthLimit) {
  testing::Random random(5);
  const LabelGrid grid = make_label_grid(testing::random_map(random, 25, 48, 9));
  for (std::uint64_t depth = 0; depth < 8; ++depth) {
    const auto fit = fit_grid_tree(grid, {.reshape = Reshape::kNone, .max_depth = depth});
    EXPECT_LE(fit.second.max_depth, depth);
  }
}

TEST(Weights, DetailGoesWhereTheCallsAre) {
  LabelGrid grid = grid_of({{0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}, {1, 0, 1, 0}});
  grid.weights.assign(16, 0.0);
  grid.weights[0] = 5;   // row 0, column 0: method 0
  grid.weights[1] = 90;  // row 0, column 1: method 1
  for (const Reshape reshape : {Reshape::kEnd, Reshape::kNone}) {
    const auto [tree, shape] = fit_grid_tree(grid, {.reshape = reshape});
    EXPECT_EQ(decide_at(tree, {0, 0}), 0U);
    EXPECT_EQ(decide_at(tree, {0, 1}), 1U);
    EXPECT_LE(shape.leaves, 7U);
    const auto rough = fit_grid_tree(grid, {.reshape = reshape, .accuracy_threshold = 0.9}).first;
    EXPECT_EQ(rough.size(), 1U);
    EXPECT_EQ(rough[0].method, 1U);
  }
}

// Calls at points that the tree gives another method than the map.
double wrong_calls(const LabelGrid& grid, const CellTree& tree, const std::vector<double>& calls) {
  double wrong = 0;
  const std::size_t columns = grid.axes[1].size();
  for (std::size_t point = 0; point < grid.points(); ++point) {
    const bool right = decide_at(tree, {point / columns, point % columns}) == grid.labels[point];
    wrong += right ? 0 : calls[point];
  }
  return wrong;
}

// Three sizes make 30 calls in 31 (the others one each): with their weights a tree of the same
// depth is wrong for fewer calls, and with a threshold it is smaller than the exact one.
TEST(Weights, FrequentSizesOfRandomMapsAreDecidedRight) {
  testing::Random random(7);
  double with = 0;
  double without = 0;
  for (int round = 0; round < 60; ++round) {
    LabelGrid grid = make_label_grid(testing::random_map(random, 10, 14, 5));
    std::vector<double> calls(grid.points(), 1.0);
    for (int i = 0; i < 3; ++i) calls[testing::pick(random, 0, grid.points() - 1)] = 1400;
    const auto reshape = static_cast<Reshape>(round % 3);
    const GridTreeOptions shallow{.reshape = reshape, .max_depth = 3};
    const std::uint64_t exact_leaves = fit_grid_tree(grid, {.reshape = reshape}).second.leaves;
    without += wrong_calls(grid, fit_grid_tree(grid, shallow).first, calls);
    grid.weights = calls;
    with += wrong_calls(grid, fit_grid_tree(grid, shallow).first, calls);
    const auto [rough, shape] =
        fit_grid_tree(grid, {.reshape = reshape, .accuracy_threshold = 0.95});
    EXPECT_LT(shape.leaves, exact_leaves);
    for (std::size_t point = 0; point < grid.points(); ++point) {
      if (calls[point] == 1) continue;
      EXPECT_EQ(decide_at(rough, {point / 14, point % 14}), grid.labels[point]);
    }
  }
  EXPECT_LT(with, 0.5 * without);
}

TEST(Quadtree, RefusesAThresholdOutOfRange) {
  const LabelGrid grid = grid_of({{0}});
  EXPECT_THROW(fit_grid_tree(grid, {.accuracy_threshold = 0}), UsageError);
  EXPECT_THROW(fit_grid_tree(grid, {.accuracy_threshold = 1.1}), UsageError);
}

TEST(CallMix, CallsCountAtTheDecidingPoint) {
  DecisionMap map;
  map.methods = {{"a", 0}};
  map.axes = {make_axis(Attribute::kCommunicatorSize, {2, 8}),
              make_axis(Attribute::kMessageSize, {1, 64})};
  map.best = {0, 0, 0, 0};
  const LabelGrid grid = make_label_grid(map);
  const std::vector<CallCount> mix = {{{Collective::kBcast, 4, 8}, 3},
                                      {{Collective::kBcast, 5, 9}, 2},
                                      {{Collective::kBcast, 100, 1 << 20}, 1},
                                      {{Collective::kReduce, 2, 1}, 9}};
  EXPECT_EQ(grid_weights(grid, mix), (std::vector<double>{3, 0, 0, 3}));
  EXPECT_THROW(grid_weights(grid, std::span(mix).subspan(3)), Error);
}

}  // namespace
}  // namespace colltree::model
