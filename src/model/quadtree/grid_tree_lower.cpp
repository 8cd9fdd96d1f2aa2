// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree_lower.h"

namespace colltree {

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
  std::uint32_t tests(const GridNode& from, std::size_t axis, std::uint32_t child,
                      const Reach& reach) {
    if (axis == axes_.size()) return node(from.first_child + child, reach);
    const std::uint32_t split = from.split[axis];
    if (split == GridNode::kNoSplit) return tests(from, axis + 1, child, reach);
    if (split <= reach.begin[axis]) return tests(from, axis + 1, child * 2 + 1, reach);
    if (split >= reach.end[axis]) return tests(from, axis + 1, child * 2, reach);
    const std::uint32_t test =
        append_test(out_, axes_[axis].attribute, axes_[axis].thresholds[split - 1]);
    Reach low = reach;
    low.end[axis] = split;
    Reach high = reach;
    high.begin[axis] = split;
    const std::uint32_t low_node = tests(from, axis + 1, child * 2, low);
    const std::uint32_t high_node = tests(from, axis + 1, child * 2 + 1, high);
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

}  // namespace colltree
