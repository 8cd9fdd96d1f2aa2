// SPDX-License-Identifier: BSD-3-Clause
// The exact search. For every box of the grid its frontier: the least cost of a tree over the box
// with at most 1, 2, ... leaves. A box is one leaf, or a split into two boxes whose frontiers are
// known; so, with F(B, k) for the frontier and L(B) for the best leaf,
//   F(B, k) = min(L(B), min over splits (B1, B2) and i < k of F(B1, i) (+) F(B2, k - i)).
// No tree is missed: every binary tree over the tests of the axes is covered, and the frontier need
// not be convex. Two facts keep it small, neither of which can change a result:
//   - a frontier ends where it reaches the sum of its cells' least costs, or its own last value;
//   - a box that lies s tests below the root has at least s leaves outside it.
// If the sizes differ from row to row, most cells of the grid are holes that cost nothing. A box
// that consists of another box and holes has the frontier of that box, which is looked up; splits
// with only holes between them are one. Cost: pairs of boxes x leaves^2 / 2, 4 lanes at a time;
// memory: boxes x (80 + 8 x mean length). The method is dynamic programming over guillotine
// partitions (optimal decision trees on a grid).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/optimal/cost_cube.h"
#include "model/optimal/merge.h"

namespace colltree::optimal {

class FrontierTable {
 public:
  // Both must outlive the table. 1 <= most_leaves <= kMostLeaves.
  FrontierTable(const CostCube& cube, const BoxSpace& space, Combine how, std::size_t most_leaves);

  // False: a limit stopped the search and the table holds no answer.
  bool fill(const SearchLimits& limits);

  // The frontier of the whole grid, by leaves - 1; kNotAllowed: no tree of so few leaves can run
  // everywhere. Leaves beyond the last value gain nothing.
  std::span<const double> root() const { return frontier(space_.root()); }
  // An optimal tree with at most `leaves` leaves; among those, one with the fewest leaves, then the
  // most balanced. root() must allow it.
  CellTree tree(std::size_t leaves) const;

  std::size_t memory_bytes() const;

 private:
  struct Frontier {
    const double* values = nullptr;
    std::uint32_t length = 0;
  };
  // The boxes of one row while their splits are tried.
  struct Row {
    std::size_t stride = 0;
    std::vector<double> values;
    std::vector<std::uint32_t> limit;  // leaves that can still gain something
    std::vector<std::size_t> same;     // boxes with these frontiers, where there are holes
    std::span<const double> floor;
    double* at(std::size_t inner) { return values.data() + inner * stride; }
  };
  struct Choice {
    std::uint32_t axis = 0;
    Split split;
    std::size_t low_leaves = 0;
    std::size_t high_leaves = 0;
  };

  std::span<const double> frontier(std::size_t box) const {
    return {table_[box].values, table_[box].length};
  }
  void begin_row(std::uint32_t part, std::span<const double> leaf_costs);
  void count_cells(std::uint32_t part, LeafCosts& counts);
  std::optional<std::size_t> same_along(std::size_t box, std::uint32_t axis) const;
  std::size_t same_without_holes(std::size_t box) const;
  void split_row(const Split& split, const Split* before);
  void split_inside(std::size_t box);
  void merge_into(std::size_t inner, std::size_t low, std::size_t high);
  bool same_frontiers(std::size_t box_a, std::size_t box_b) const {
    return table_[box_a].values == table_[box_b].values;
  }
  void store(std::size_t box);
  double* allocate(std::size_t count);
  bool must_stop(const SearchLimits& limits) const;
  Choice choose(std::size_t box, std::size_t leaves) const;
  void consider(std::size_t box, std::uint32_t axis, const Split& split, std::size_t leaves,
                Choice& best) const;

  const CostCube& cube_;
  const BoxSpace& space_;
  Combine how_;
  std::size_t most_leaves_;
  Merger merger_;
  Row row_;
  std::vector<Frontier> table_;
  std::vector<std::uint32_t> cells_;  // by box: that are no holes; empty: there are no holes
  std::vector<std::unique_ptr<double[]>> chunks_;
  std::size_t chunk_used_ = 0;
};

}  // namespace colltree::optimal
