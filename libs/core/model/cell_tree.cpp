// SPDX-License-Identifier: BSD-3-Clause
#include "model/cell_tree.h"

#include <utility>

namespace colltree::model {

namespace {

class CellLowering {
 public:
  CellLowering(const CellTree& tree, const std::vector<GridAxis>& axes,
               const ThresholdOf& threshold_of, Collective collective, RuleTree& result)
      : tree_(tree),
        axes_(axes),
        threshold_of_(threshold_of),
        collective_(collective),
        result_(result) {
    for (const GridAxis& axis : axes) reach_.push_back({0, axis.size()});
  }

  std::uint32_t append(std::uint32_t index) {
    const CellNode& node = tree_[index];
    if (node.is_leaf()) return append_leaf(result_, node.method);
    const GridAxis& axis = axes_[node.axis];
    if (axis.is_collective) {
      const bool is_low = node.goes_low(axis.index({.collective = collective_}));
      return append(is_low ? node.low : node.high);
    }
    if (node.test == TestKind::kPowerOfTwo) {
      const auto test = append_test(result_, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
      return append_sides(test, node, reach_[node.axis], reach_[node.axis]);
    }
    const Reach reach = reach_[node.axis];
    if (node.cut <= reach.begin) return append(node.high);
    if (node.cut >= reach.end) return append(node.low);
    const auto test =
        append_test(result_, axis.attribute,
                    threshold_of_ ? threshold_of_(node) : axis.thresholds[node.cut - 1]);
    return append_sides(test, node, {reach.begin, node.cut}, {node.cut, reach.end});
  }

 private:
  // Indices that can still arrive.
  struct Reach {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::uint32_t append_sides(std::uint32_t test, const CellNode& node, Reach low, Reach high) {
    const Reach both = std::exchange(reach_[node.axis], low);
    const std::uint32_t low_node = append(node.low);
    reach_[node.axis] = high;
    const std::uint32_t high_node = append(node.high);
    reach_[node.axis] = both;
    return link_children(result_, test, low_node, high_node);
  }

  const CellTree& tree_;
  const std::vector<GridAxis>& axes_;
  const ThresholdOf& threshold_of_;
  Collective collective_;
  RuleTree& result_;
  std::vector<Reach> reach_;  // by axis
};

}  // namespace

RuleTree lower(const CellTree& tree, const std::vector<GridAxis>& axes,
               const std::vector<Method>& methods, const std::vector<Collective>& collectives,
               const ThresholdOf& threshold_of) {
  RuleTree result{.methods = methods};
  for (const Collective collective : collectives)
    result.roots.push_back(
        {collective, CellLowering(tree, axes, threshold_of, collective, result).append(0)});
  return result;
}

TreeShape shape(const CellTree& tree) {
  RuleTree plain{.methods = {{}}};
  for (const CellNode& node : tree) plain.nodes.push_back({.low = node.low, .high = node.high});
  return shape(plain, 0);
}

}  // namespace colltree::model
