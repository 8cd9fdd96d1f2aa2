// SPDX-License-Identifier: BSD-3-Clause
// Trees that divide a grid into rectangles of one method each.
//   quadtree, octree  every inner node halves all sides of its block of the power-of-two square
//   that
//                     the grid is blown up to by replication (2007, 3 and 3.1)
//   kdtree            every inner node cuts one side of its block of the measured grid itself,
//   where
//                     that separates the methods best: no replicas, no forced halves (the open
//                     problem of 2007, section 5)
//                     problem of 2007, section 5)
// Source: J. Pjesivac-Grbovic et al., Parallel Computing 33 (2007) 613-623.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bounds.h"
#include "model/quadtree/label_grid.h"
#include "model/rule_tree.h"

namespace colltree::model {

inline constexpr std::size_t kMostAxes = 3;

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

struct GridNode {
  static constexpr std::uint32_t kNoSplit = 0xFFFFFFFF;

  // Leaf: no axis is split. Inner node: along a split axis the grid indices below `split` go to the
  // low side, which may be empty (the block held only replicas there). The children stand together,
  // 2 for each split axis; the first split axis is the highest bit of a child's number, so that a
  // quadtree's are NW, NE, SW, SE with communicator sizes downwards and message sizes to the right.
  std::array<std::uint32_t, kMostAxes> split = {kNoSplit, kNoSplit, kNoSplit};
  std::uint32_t first_child = 0;
  std::uint16_t method = 0;

  std::uint32_t children() const;
  bool is_leaf() const { return children() == 0; }
  bool operator==(const GridNode&) const = default;
};

// Node 0 is the root, children come after their parents.
using GridTree = std::vector<GridNode>;

// Throws UsageError when an option is out of range. Cost: points x methods per level.
GridTree fit_grid_tree(const LabelGrid& grid, const GridTreeOptions& options);

// The leaf's method at grid indices, one for each axis.
std::uint16_t decide_at(const GridTree& tree, const std::array<std::size_t, kMostAxes>& index);

// Leaves, nodes and depths of the tree as fitted, replicas included (2007, tables 1 and 2).
TreeShape shape(const GridTree& tree);

// Throws Error: child out of range or not after its parent, a split beyond the axis, a method that
// does not exist.
void validate(const GridTree& tree, const std::vector<GridAxis>& axes, std::size_t methods);

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

// Grid tree -> rule tree.
RuleTree lower_grid_tree(const GridTree& tree, const std::vector<GridAxis>& axes,
                         const std::vector<Method>& methods,
                         const std::vector<Collective>& collectives);

}  // namespace colltree::model
