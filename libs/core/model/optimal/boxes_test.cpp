// SPDX-License-Identifier: BSD-3-Clause
// The parts that the dynamic programme is made of, each against its definition: axes and their
// tests, boxes and their cells, the cost of a leaf over a box, two frontiers put together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "base/test_scratch.h"
#include "model/optimal/cost_cube.h"
#include "model/optimal/merge.h"

namespace colltree::optimal {
namespace {

std::set<std::uint16_t> set_of(const BoxAxis& axis, std::uint32_t part) {
  const std::vector<std::uint16_t> indices = axis.indices_of(part);
  EXPECT_TRUE(std::ranges::is_sorted(indices));
  return {indices.begin(), indices.end()};
}

// What box_axis.h promises of every axis.
void expect_sound(const BoxAxis& axis, bool parts_differ = true) {
  ASSERT_FALSE(axis.parts.empty());
  std::set<std::set<std::uint16_t>> different;
  for (std::uint32_t p = 0; p < axis.parts.size(); ++p) {
    const Part& part = axis.parts[p];
    const std::set<std::uint16_t> indices = set_of(axis, p);
    ASSERT_FALSE(indices.empty());
    EXPECT_TRUE(different.insert(indices).second || !parts_differ) << "a part twice";
    EXPECT_EQ(part.first, *indices.begin());
    EXPECT_EQ(part.last, *indices.rbegin());
    std::set<std::uint16_t> rest = indices;
    rest.erase(part.last);
    EXPECT_EQ(part.rest == kNoPart, rest.empty());
    if (part.rest != kNoPart) {
      EXPECT_LT(part.rest, p);
      EXPECT_EQ(set_of(axis, part.rest), rest);
    }
    for (const Split& split : axis.splits_of(p)) {
      ASSERT_LT(split.low, p);
      ASSERT_LT(split.high, p);
      const std::set<std::uint16_t> low = set_of(axis, split.low);
      const std::set<std::uint16_t> high = set_of(axis, split.high);
      std::set<std::uint16_t> both = low;
      both.insert(high.begin(), high.end());
      EXPECT_EQ(both, indices);
      EXPECT_EQ(low.size() + high.size(), indices.size());
      if (split.test == TestKind::kThreshold) {
        EXPECT_LT(*low.rbegin(), *high.begin());
      }
    }
  }
  EXPECT_EQ(set_of(axis, static_cast<std::uint32_t>(axis.parts.size() - 1)).size(), axis.size);
}

TEST(BoxAxis, IntervalsAreAllRunsDividedEverywhere) {
  for (std::size_t n = 1; n <= 9; ++n) {
    const BoxAxis axis = interval_axis(n);
    expect_sound(axis);
    EXPECT_EQ(axis.parts.size(), n * (n + 1) / 2);
    for (std::uint32_t p = 0; p < axis.parts.size(); ++p) {
      const auto size = axis.indices_of(p).size();
      EXPECT_EQ(axis.splits_of(p).size(), size - 1);
      const Part& part = axis.parts[p];
      EXPECT_EQ(part.last - part.first + 1U, size);
      EXPECT_EQ(part.outside, (part.first > 0 ? 1 : 0) + (part.last + 1U < n ? 1 : 0));
    }
  }
}

TEST(BoxAxis, APowerOfTwoTestPartsTheTwoClasses) {
  const std::vector<bool> powers = {true, false, true, false, false, false, true};  // 2 3 4 5 6 7 8
  const BoxAxis axis = interval_axis(powers);
  expect_sound(axis, false);  // a run of one class is a part before and after the test
  std::size_t tests = 0;
  for (std::uint32_t p = 0; p < axis.parts.size(); ++p) {
    for (const Split& split : axis.splits_of(p)) {
      if (split.test != TestKind::kPowerOfTwo) continue;
      ++tests;
      for (const std::uint16_t i : axis.indices_of(split.low)) EXPECT_FALSE(powers[i]);
      for (const std::uint16_t i : axis.indices_of(split.high)) EXPECT_TRUE(powers[i]);
    }
  }
  // One for each run that holds both.
  std::size_t mixed = 0;
  for (std::size_t first = 0; first < powers.size(); ++first) {
    for (std::size_t last = first; last < powers.size(); ++last) {
      const auto run = std::set<bool>(powers.begin() + static_cast<long>(first),
                                      powers.begin() + static_cast<long>(last + 1));
      mixed += run.size() == 2 ? 1 : 0;
    }
  }
  EXPECT_EQ(tests, mixed);
}

TEST(BoxAxis, SubsetsAreDividedInEveryWay) {
  for (std::size_t n = 1; n <= 5; ++n) {
    const BoxAxis axis = subset_axis(n);
    expect_sound(axis);
    EXPECT_EQ(axis.parts.size(), (std::size_t{1} << n) - 1);
    for (std::uint32_t p = 0; p < axis.parts.size(); ++p) {
      const auto size = axis.indices_of(p).size();
      EXPECT_EQ(axis.splits_of(p).size(), (std::size_t{1} << (size - 1)) - 1) << "unordered pairs";
    }
  }
  EXPECT_THROW(subset_axis(kMostSubsetValues + 1), Error);
}

BoxSpace a_space() { return BoxSpace({interval_axis(4), interval_axis(3), subset_axis(2)}); }

TEST(BoxSpace, NumbersItsBoxesByTheirParts) {
  const BoxSpace space = a_space();
  EXPECT_EQ(space.boxes(), 10U * 6 * 3);
  EXPECT_EQ(space.cells(), 4U * 3 * 2);
  EXPECT_EQ(space.cells_of(space.root()).size(), space.cells());
  EXPECT_EQ(space.leaves_outside(space.root()), 0U);
  for (std::size_t box = 0; box < space.boxes(); ++box) {
    std::size_t number = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      number = number * space.axes()[axis].parts.size() + space.part(box, axis);
    ASSERT_EQ(number, box);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const Split& split : space.axes()[axis].splits_of(space.part(box, axis))) {
        const std::size_t low = space.with(box, axis, split.low);
        EXPECT_LT(low, box);
        EXPECT_EQ(space.part(low, axis), split.low);
        EXPECT_EQ(space.part(low, (axis + 1) % 3), space.part(box, (axis + 1) % 3));
        // Both sides hold the box's cells, each once.
        std::vector<std::size_t> cells = space.cells_of(low);
        const auto others = space.cells_of(space.with(box, axis, split.high));
        cells.insert(cells.end(), others.begin(), others.end());
        std::ranges::sort(cells);
        auto all = space.cells_of(box);
        std::ranges::sort(all);
        ASSERT_EQ(cells, all);
      }
    }
  }
}

CostCube random_cube(std::mt19937& random, std::size_t cells, std::size_t methods) {
  CostCube cube{.cells = cells, .methods = methods};
  for (std::size_t i = 0; i < cells * methods; ++i)
    cube.cost.push_back(random() % 6 == 0 ? kNotAllowed : static_cast<double>(random() % 20));
  return cube;
}

TEST(LeafCosts, AreThoseOfTheBestMethodOverTheBox) {
  std::mt19937 random(5);
  const BoxSpace space = a_space();
  for (const Combine how : {Combine::kSum, Combine::kMax}) {
    for (int round = 0; round < 5; ++round) {
      const CostCube cube = random_cube(random, space.cells(), 3);
      LeafCosts leaves(cube, space, how);
      for (std::uint32_t row = 0; row < space.rows(); ++row) {
        const std::span<const double> costs = leaves.row(row);
        for (std::size_t inner = 0; inner < space.inner(); ++inner) {
          const std::size_t box = row * space.inner() + inner;
          double least = kNotAllowed;
          std::size_t best = 3;
          for (std::size_t m = 0; m < 3; ++m) {
            double cost = 0;
            for (const std::size_t cell : space.cells_of(box))
              cost = combine(how, cost, cube.cost_of(cell, m));
            if (cost < least) {
              least = cost;
              best = m;
            }
          }
          ASSERT_EQ(costs[inner], least);
          ASSERT_EQ(best_leaf(cube, space, how, box), best);
        }
      }
    }
  }
}

TEST(CostCube, LeastCostsAreOneMethod) {
  std::mt19937 random(6);
  const CostCube cube = random_cube(random, 50, 4);
  const CostCube least = least_costs(cube);
  ASSERT_EQ(least.methods, 1U);
  for (std::size_t cell = 0; cell < 50; ++cell) {
    EXPECT_EQ(least.cost_of(cell, 0),
              *std::min_element(cube.cost.begin() + static_cast<long>(4 * cell),
                                cube.cost.begin() + static_cast<long>(4 * cell + 4)));
  }
}

TEST(BoxTree, CostsCellByCellWhatItsLeavesDo) {
  std::mt19937 random(7);
  const BoxSpace space({interval_axis(3), interval_axis(2)});
  const CostCube cube = random_cube(random, 6, 2);
  // The first axis cut behind its second index: method 1 below, 0 above.
  const std::size_t root = space.root();
  const auto splits = space.axes()[0].splits_of(space.part(root, 0));
  const auto at = std::ranges::find_if(
      splits, [&](const Split& one) { return space.axes()[0].indices_of(one.low).size() == 2; });
  ASSERT_NE(at, splits.end());
  CellTree tree = {{.box = root}};
  divide(tree, 0, space, 0, *at);
  EXPECT_EQ(tree[0].cut, 2U);
  tree[1].method = 1;
  EXPECT_EQ(leaves_of(tree), 2U);
  const std::vector<double> costs = cell_costs(tree, space, cube);
  double sum = 0, most = 0;
  for (std::size_t cell = 0; cell < 6; ++cell) {
    ASSERT_EQ(costs[cell], cube.cost_of(cell, cell < 4 ? 1 : 0));
    sum += costs[cell];
    most = std::max(most, costs[cell]);
  }
  EXPECT_EQ(total(costs, Combine::kSum), sum);
  EXPECT_EQ(total(costs, Combine::kMax), most);
}

TEST(Merger, IsTheLeastOverAllDivisionsOfTheLeaves) {
  std::mt19937 random(8);
  const auto frontier = [&](std::size_t size) {
    std::vector<double> values(size);
    for (double& value : values)
      value = random() % 9 == 0 ? kNotAllowed : static_cast<double>(random() % 1000);
    return values;
  };
  const auto padded = [](const std::vector<double>& values) {
    std::vector<double> longer(values.size() + 2 * Merger::kPad, kNotAllowed);
    std::ranges::copy(values, longer.begin() + Merger::kPad);
    return longer;
  };
  for (const Combine how : {Combine::kSum, Combine::kMax}) {
    for (std::size_t p = 0; p <= 40; p += 1 + p / 6) {
      for (std::size_t q = 0; q <= 40; q += 1 + q / 6) {
        for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{7}, p + q}) {
          const std::vector<double> a = frontier(p);
          const std::vector<double> b = frontier(q);
          std::vector<double> out = frontier(most);
          std::vector<double> expected = out;
          for (std::size_t i = 0; i < p; ++i) {
            for (std::size_t j = 0; j < q; ++j) {
              if (i + j + 1 >= most) continue;
              expected[i + j + 1] = std::min(expected[i + j + 1], combine(how, a[i], b[j]));
            }
          }
          out.resize(most + Merger::kSlack);
          const std::vector<double> padded_a = padded(a);
          const std::vector<double> padded_b = padded(b);
          Merger(how).merge(std::span(padded_a).subspan(Merger::kPad, p),
                            std::span(padded_b).subspan(Merger::kPad, q), out.data(), most);
          out.resize(most);
          ASSERT_EQ(out, expected) << p << " and " << q << ", most " << most;
        }
      }
    }
  }
}

}  // namespace
}  // namespace colltree::optimal
