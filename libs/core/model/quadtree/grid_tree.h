// SPDX-License-Identifier: BSD-3-Clause
// Trees that divide a grid into rectangles of one method each.
//   quadtree, octree  every division halves all sides of its block of the power-of-two square to
//                     which replication blows up the grid (2007, 3 and 3.1)
//   kdtree            every division cuts one side of its block of the measured grid itself, where
//                     that separates the methods best: no replicas, no forced halves (the open
//                     problem of 2007, section 5)
// Source: J. Pjesivac-Grbovic et al., Parallel Computing 33 (2007) 613-623.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "model/cell_tree.h"
#include "model/quadtree/label_grid.h"

namespace colltree::model {

inline constexpr std::size_t kMostAxes = 3;  // of a grid that is divided in this way

// How n grid values become 2^k: value i is repeated at the end (all missing places are copies of
// the last), or every value about equally often.
enum class Reshape : std::uint8_t { kEnd, kEven, kNone };

inline constexpr WholeRange kDepthRange{0, 1U << 30};
inline constexpr RealRange kAccuracyRange{0, 1, true};

struct GridTreeOptions {
  Reshape reshape = Reshape::kEnd;         // kNone: kdtree
  std::optional<std::uint64_t> max_depth;  // most tests on a path; none: unlimited
  double accuracy_threshold = 1.0;         // smallest share of one method in a block, 0..1
};

// Grows the tree; of a quadtree each division of a block is a test of the first side above tests of
// the others. The shape counts divisions, and leaves with only replicas too (2007, tables 1 and 2).
// Throws UsageError when an option is out of range. Cost: points x methods per level.
std::pair<CellTree, TreeShape> fit_grid_tree(const LabelGrid& grid, const GridTreeOptions& options);

// The methods that a block of the grid holds, with their weights and numbers of points.
class Tally {
 public:
  explicit Tally(std::size_t methods) : weight_(methods), points_(methods) {}

  // `copies` points of the grid that are the same measured point, each of weight `weight`.
  void add(std::uint16_t method, double copies, double weight) {
    weight_[method] += copies * weight;
    points_[method] += copies;
  }

  // The heaviest method; among equals the most frequent, then the lowest index (catalogue order).
  std::uint16_t majority() const;
  // True if the majority holds at least this share of the weight. A block without any weight is
  // never worth a test, so it always agrees.
  bool agrees(double accuracy_threshold) const;
  // Entropy of the methods times the weight, natural logarithm: 0 when there is only one.
  double disorder() const;

 private:
  std::vector<double> weight_;
  std::vector<double> points_;
};

}  // namespace colltree::model
