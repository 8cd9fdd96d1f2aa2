// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace colltree {

GridTree fit_quadtree(const LabelGrid& grid, const GridTreeOptions& options);  // quadtree.cpp
GridTree fit_kdtree(const LabelGrid& grid, const GridTreeOptions& options);    // kdtree.cpp

std::uint32_t GridNode::children() const {
  std::uint32_t count = 1;
  for (const std::uint32_t one : split) count *= one == kNoSplit ? 1 : 2;
  return count == 1 ? 0 : count;
}

GridTree fit_grid_tree(const LabelGrid& grid, const GridTreeOptions& options) {
  if (!(options.accuracy_threshold > 0 && options.accuracy_threshold <= 1)) {
    throw UsageError(fmt::format("accuracy threshold must be above 0 and at most 1, not {}",
                                 options.accuracy_threshold));
  }
  return options.reshape == Reshape::kNone ? fit_kdtree(grid, options)
                                           : fit_quadtree(grid, options);
}

std::uint16_t decide_at(const GridTree& tree, const std::array<std::size_t, kMostAxes>& index) {
  const GridNode* node = &tree[0];
  while (!node->is_leaf()) {
    std::uint32_t child = 0;
    for (std::size_t axis = 0; axis < kMostAxes; ++axis) {
      if (node->split[axis] == GridNode::kNoSplit) continue;
      child = child * 2 + (index[axis] < node->split[axis] ? 0 : 1);
    }
    node = &tree[node->first_child + child];
  }
  return node->method;
}

TreeShape shape(const GridTree& tree) {
  std::vector<std::uint64_t> depth(tree.size());
  TreeShape sum{.nodes = tree.size(), .min_depth = UINT64_MAX};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const GridNode& node = tree[i];
    for (std::uint32_t c = 0; c < node.children(); ++c) depth[node.first_child + c] = depth[i] + 1;
    if (!node.is_leaf()) continue;
    ++sum.leaves;
    sum.min_depth = std::min(sum.min_depth, depth[i]);
    sum.max_depth = std::max(sum.max_depth, depth[i]);
    sum.mean_depth += static_cast<double>(depth[i]);
  }
  sum.mean_depth /= static_cast<double>(sum.leaves);
  return sum;
}

void validate(const GridTree& tree, const std::vector<GridAxis>& axes, std::size_t methods) {
  if (tree.empty()) throw Error("the tree has no nodes");
  std::vector<bool> has_parent(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const GridNode& node = tree[i];
    for (std::size_t axis = 0; axis < kMostAxes; ++axis) {
      if (node.split[axis] == GridNode::kNoSplit) continue;
      if (axis >= axes.size() || node.split[axis] > axes[axis].size()) {
        throw Error(fmt::format("node {}: split {} is beyond axis {}", i, node.split[axis], axis));
      }
    }
    if (node.is_leaf() && node.method >= methods) {
      throw Error(fmt::format("node {}: method {} of {}", i, node.method, methods));
    }
    if (!node.is_leaf() &&
        (node.first_child <= i || node.first_child + std::size_t{node.children()} > tree.size())) {
      throw Error(
          fmt::format("node {}: children at {} of {} nodes", i, node.first_child, tree.size()));
    }
    for (std::uint32_t c = 0; c < node.children(); ++c) {
      if (has_parent[node.first_child + c]) {
        throw Error(fmt::format("node {} has two parents", node.first_child + c));
      }
      has_parent[node.first_child + c] = true;
    }
  }
}

}  // namespace colltree
