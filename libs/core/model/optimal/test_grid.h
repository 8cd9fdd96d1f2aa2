// SPDX-License-Identifier: BSD-3-Clause
// For tests: every tree on a tiny grid, one after the other. Shares nothing with the search but the
// grid: cells are bits, tests are sets of cells, trees are sets of leaves.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/optimal/box_axis.h"
#include "model/optimal/cost_cube.h"
#include "model/test_models.h"

namespace colltree::testing {

using Cells = std::uint32_t;           // bit i: cell i
using Partition = std::vector<Cells>;  // the leaves of a tree, ascending

class AllTrees {
 public:
  // A test is the set of cells that it sends to its low side.
  AllTrees(Cells all, std::vector<Cells> tests) : all_(all), tests_(std::move(tests)) {}

  // The partitions of the grid that trees of exactly `leaves` leaves make, each once.
  const std::set<Partition>& partitions(std::size_t leaves) { return partitions(all_, leaves); }

 private:
  const std::set<Partition>& partitions(Cells cells, std::size_t leaves) {
    const auto [found, is_new] = known_.try_emplace({cells, leaves});
    std::set<Partition>& result = found->second;
    if (!is_new) return result;
    if (leaves == 1) return result.insert({cells}), result;
    for (const Cells test : tests_) {
      const Cells low = cells & test;
      const Cells high = cells & ~test;
      if (low == 0 || high == 0) continue;
      for (std::size_t i = 1; i < leaves; ++i) {
        for (const Partition& a : partitions(low, i)) {
          for (const Partition& b : partitions(high, leaves - i)) {
            Partition both = a;
            both.insert(both.end(), b.begin(), b.end());
            std::ranges::sort(both);
            result.insert(both);
          }
        }
      }
    }
    return result;
  }

  Cells all_;
  std::vector<Cells> tests_;
  std::map<std::pair<Cells, std::size_t>, std::set<Partition>> known_;  // a map: references last
};

// Every way to give each of the leaves one of the methods.
inline void each_choice(std::size_t leaves, std::size_t methods,
                        const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> choice(leaves);
  while (true) {
    visit(choice);
    std::size_t at = 0;
    while (at < leaves && ++choice[at] == methods) choice[at++] = 0;
    if (at == leaves) return;
  }
}

// For tests: random costs on a tiny grid, and its tests as sets of cells.

// The first axis holds the sizes 2, 3, 4, ... With `subset` the last axis is one of collectives.
struct RandomGrid {
  std::vector<std::size_t> sizes;
  bool power_of_two;
  bool subset;
  optimal::CostCube cube;

  RandomGrid(Random& random, std::vector<std::size_t> axis_sizes, bool with_power_of_two,
             bool last_is_subset = false)
      : sizes(std::move(axis_sizes)), power_of_two(with_power_of_two), subset(last_is_subset) {
    cube.cells = 1;
    for (const std::size_t size : sizes) cube.cells *= size;
    cube.methods = pick(random, 1, 3);
    const std::uint64_t most = pick(random, 0, 1) == 0 ? 3 : 1000;  // many ties, or few
    const std::uint64_t forbidden = pick(random, 0, 4);             // tenths
    const std::uint64_t holes = pick(random, 0, 2) == 0 ? 6 : 1;    // tenths
    for (std::size_t cell = 0; cell < cube.cells; ++cell) {
      const bool hole = pick(random, 0, 9) < holes;
      const std::uint64_t weight = pick(random, 0, 3);
      for (std::size_t m = 0; m < cube.methods; ++m) {
        const bool allowed = pick(random, 0, 19) >= forbidden;
        const auto cost = static_cast<double>(weight * pick(random, 0, most));
        cube.cost.push_back(hole ? 0 : allowed ? cost : optimal::kNotAllowed);
      }
    }
  }

  std::vector<optimal::BoxAxis> axes() const {
    std::vector<optimal::BoxAxis> axes;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (axis == 0 && power_of_two) {
        std::vector<bool> flags;
        for (std::size_t i = 0; i < sizes[0]; ++i) flags.push_back(is_power(i));
        axes.push_back(optimal::interval_axis(flags));
      } else if (axis + 1 == sizes.size() && subset) {
        axes.push_back(optimal::subset_axis(sizes[axis]));
      } else {
        axes.push_back(optimal::interval_axis(sizes[axis]));
      }
    }
    return axes;
  }

  Cells all_cells() const { return static_cast<Cells>((std::uint64_t{1} << cube.cells) - 1); }

  std::vector<Cells> tests() const {
    std::vector<Cells> tests;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (axis + 1 == sizes.size() && subset) {
        for (std::size_t set = 1; set + 1 < (std::size_t{1} << sizes[axis]); ++set) {
          tests.push_back(cells_where(axis, [&](std::size_t i) { return (set >> i & 1) != 0; }));
        }
        continue;
      }
      for (std::size_t last = 0; last + 1 < sizes[axis]; ++last) {
        tests.push_back(cells_where(axis, [&](std::size_t i) { return i <= last; }));
      }
      if (axis == 0 && power_of_two) tests.push_back(cells_where(0, is_power));
    }
    return tests;
  }

 private:
  static bool is_power(std::size_t index) { return std::has_single_bit(index + 2); }

  template <typename Condition>
  Cells cells_where(std::size_t axis, Condition condition) const {
    Cells cells = 0;
    std::size_t stride = 1;
    for (std::size_t behind = axis + 1; behind < sizes.size(); ++behind) stride *= sizes[behind];
    for (std::size_t cell = 0; cell < cube.cells; ++cell) {
      if (condition(cell / stride % sizes[axis])) cells |= Cells{1} << cell;
    }
    return cells;
  }
};

}  // namespace colltree::testing
