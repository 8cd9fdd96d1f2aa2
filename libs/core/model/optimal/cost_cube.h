// SPDX-License-Identifier: BSD-3-Clause
// The cost of each method in each cell of the grid, and the cost of one leaf over each box.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/bounds.h"
#include "model/optimal/box_axis.h"

namespace colltree::optimal {

inline constexpr double kNotAllowed = std::numeric_limits<double>::infinity();

// How the costs of cells, and of the two sides of a test, become one cost.
enum class Combine : std::uint8_t { kSum, kMax };

inline double combine(Combine how, double a, double b) {
  return how == Combine::kSum ? a + b : (a < b ? b : a);
}

// Costs are integers held in doubles (or kNotAllowed), and the sum of the greatest of all cells is
// below 2^53: then every sum is exact, equal costs are equal and the order of adding is immaterial.
// For kMax any doubles do.
struct CostCube {
  std::size_t cells = 0;  // in the order of BoxSpace::cells_of
  std::size_t methods = 0;
  std::vector<double> cost;  // cells x methods

  double cost_of(std::size_t cell, std::size_t method) const {
    return cost[cell * methods + method];
  }
};

// The least cost in each cell: one "method".
CostCube least_costs(const CostCube& cube);
// The first method of least cost over the box; none allowed: methods.
std::size_t best_leaf(const CostCube& cube, const BoxSpace& space, Combine how, std::size_t box);

// The cost of the best leaf over each box, row by row (a row: one part of the first axis).
// Memory: a row's boxes x methods. Time of a row: its boxes x methods.
class LeafCosts {
 public:
  LeafCosts(const CostCube& cube, const BoxSpace& space, Combine how);
  // Valid until the next call.
  std::span<const double> row(std::uint32_t part);

 private:
  // to = a (+) b; `to` may be `a`.
  void add(double* to, const double* a, const double* b, std::size_t count) const;
  void expand(std::size_t axis, const double* slab);

  const CostCube& cube_;
  const BoxSpace& space_;
  Combine how_;
  std::vector<std::size_t> slab_;  // by axis: values of one index = cells behind it x methods
  std::vector<std::vector<double>> parts_;  // by axis: parts x slab
  std::vector<double> row_;
  std::size_t next_ = 0;
};

// The searches find trees over boxes, whose sizes and methods have no names yet.
using model::CellNode;
using model::CellTree;

// Divides a leaf's box in two; the new leaves come last.
void divide(CellTree& tree, std::size_t leaf, const BoxSpace& space, std::uint32_t axis,
            const Split& split);
std::size_t leaves_of(const CellTree& tree);
// The best tree of one leaf; empty: no method can run everywhere.
CellTree single_leaf(const CostCube& cube, const BoxSpace& space, Combine how);
// The method that the tree gives each cell.
std::vector<std::size_t> chosen_methods(const CellTree& tree, const BoxSpace& space);
// The cost of these methods, cell by cell; kNotAllowed where one cannot run.
std::vector<double> cell_costs(const CellTree& tree, const BoxSpace& space, const CostCube& cube);
double total(const std::vector<double>& cell_costs, Combine how);

// The limits of a search. A search that a limit stopped reports that, and claims no more than it
// found.

inline constexpr std::size_t kMostLeaves = 4096;
inline constexpr WholeRange kLeavesRange{1, kMostLeaves};

struct SearchLimits {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  std::size_t memory_bytes = std::size_t{4} << 30;

  bool expired() const { return deadline && Clock::now() >= *deadline; }
};

}  // namespace colltree::optimal
