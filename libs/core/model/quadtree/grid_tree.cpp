// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/error.h"

namespace colltree::model {

std::uint32_t GridNode::children() const {
  std::uint32_t count = 1;
  for (const std::uint32_t index : split) count *= index == kNoSplit ? 1 : 2;
  return count == 1 ? 0 : count;
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

std::uint16_t Tally::majority() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < weight_.size(); ++i) {
    if (std::tie(weight_[i], points_[i]) > std::tie(weight_[best], points_[best])) best = i;
  }
  return static_cast<std::uint16_t>(best);
}

bool Tally::agrees(double accuracy_threshold) const {
  double others = 0;
  const std::uint16_t best = majority();
  for (std::size_t i = 0; i < weight_.size(); ++i) others += i == best ? 0 : weight_[i];
  // Not `weight >= threshold * total`: at a threshold of 1 only the exact zero may pass.
  constexpr double kRounding = 1e-12;
  const double total = others + weight_[best];
  return others <= (1 - accuracy_threshold + (accuracy_threshold < 1 ? kRounding : 0)) * total;
}

double Tally::disorder() const {
  const double total = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  double sum = 0;
  for (const double weight : weight_) {
    if (weight > 0) sum -= weight * std::log(weight / total);
  }
  return sum;
}

namespace {

// Grid indices that can still arrive, by axis.
struct Reach {
  std::array<std::uint32_t, kMostAxes> begin = {};
  std::array<std::uint32_t, kMostAxes> end = {1, 1, 1};
};

class GridTreeLowering {
 public:
  GridTreeLowering(const GridTree& tree, const std::vector<GridAxis>& axes, RuleTree& out)
      : tree_(tree), axes_(axes), out_(out) {}

  std::uint32_t node(std::uint32_t index, const Reach& reach) {
    const GridNode& node = tree_[index];
    return node.is_leaf() ? append_leaf(out_, node.method) : tests(node, 0, 0, reach);
  }

 private:
  // The tests of `node` on the axes from `axis` on; `child` is the number so far.
  std::uint32_t tests(const GridNode& parent, std::size_t axis, std::uint32_t child,
                      const Reach& reach) {
    if (axis == axes_.size()) return node(parent.first_child + child, reach);
    const std::uint32_t split = parent.split[axis];
    if (split == GridNode::kNoSplit) return tests(parent, axis + 1, child, reach);
    if (split <= reach.begin[axis]) return tests(parent, axis + 1, child * 2 + 1, reach);
    if (split >= reach.end[axis]) return tests(parent, axis + 1, child * 2, reach);
    const std::uint32_t test =
        append_test(out_, axes_[axis].attribute, axes_[axis].thresholds[split - 1]);
    Reach low = reach;
    low.end[axis] = split;
    Reach high = reach;
    high.begin[axis] = split;
    const std::uint32_t low_node = tests(parent, axis + 1, child * 2, low);
    const std::uint32_t high_node = tests(parent, axis + 1, child * 2 + 1, high);
    out_.nodes[test].low = low_node;
    out_.nodes[test].high = high_node;
    return test;
  }

  const GridTree& tree_;
  const std::vector<GridAxis>& axes_;
  RuleTree& out_;
};

}  // namespace

RuleTree lower_grid_tree(const GridTree& tree, const std::vector<GridAxis>& axes,
                         const std::vector<Method>& methods,
                         const std::vector<Collective>& collectives) {
  RuleTree result{.methods = methods};
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    Reach reach;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      reach.end[axis] = static_cast<std::uint32_t>(axes[axis].size());
      if (!axes[axis].is_collective) continue;
      reach.begin[axis] =
          static_cast<std::uint32_t>(axes[axis].index({.collective = collectives[i]}));
      reach.end[axis] = reach.begin[axis] + 1;
    }
    const std::uint32_t root = GridTreeLowering(tree, axes, result).node(0, reach);
    result.roots.push_back({collectives[i], root});
  }
  return result;
}

}  // namespace colltree::model
