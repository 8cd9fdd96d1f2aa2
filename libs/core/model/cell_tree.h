// SPDX-License-Identifier: BSD-3-Clause
// A tree over the cells of a grid: what quadtrees, kdtrees and optimal trees are found as. It is
// lowered to a RuleTree, which decides for all integers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/rule_tree.h"
#include "timings/instance_grid.h"

namespace colltree::model {

enum class TestKind : std::uint8_t {
  kThreshold,   // low: the indices up to low's last; high: the rest
  kPowerOfTwo,  // low: sizes that are no power of two; high: those that are
  kSubset,      // low: some of the collectives; high: the others
};

struct CellNode {
  static constexpr std::uint32_t kLeaf = RuleNode::kLeaf;

  // Inner node: a test of the index on this axis; children come after their parents. One side may
  // be empty.
  std::uint32_t axis = 0;
  TestKind test = TestKind::kThreshold;
  std::uint32_t cut = 0;  // kThreshold: indices below it go low; kSubset: bit i: index i goes low
  std::uint32_t low = kLeaf;
  std::uint32_t high = kLeaf;
  std::uint16_t method = 0;  // of a leaf
  std::size_t box = 0;       // of those that a search divides (optimal/box_axis.h)

  bool is_leaf() const { return low == kLeaf; }
  bool goes_low(std::size_t index) const {
    return test == TestKind::kSubset ? (cut >> index & 1) != 0 : index < cut;
  }
};

using CellTree = std::vector<CellNode>;  // node 0 is the root

// Returns the last size that goes low by a test of the kind kThreshold.
using ThresholdOf = std::function<std::uint64_t(const CellNode& test)>;

// Tests on the collective are decided beforehand, for each root, and tests that leave all cells on
// one side disappear. Without `threshold_of` thresholds are those of the axes.
RuleTree lower(const CellTree& tree, const std::vector<GridAxis>& axes,
               const std::vector<Method>& methods, const std::vector<Collective>& collectives,
               const ThresholdOf& threshold_of = {});

// Leaves, nodes and depths with the tests on the collective.
TreeShape shape(const CellTree& tree);

}  // namespace colltree::model
