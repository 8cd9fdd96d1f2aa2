// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/lower_tree.h"

#include <algorithm>

#include "model/optimal/crossing.h"

namespace colltree::optimal {

namespace {

class Lowering {
 public:
  Lowering(const BoxTree& tree, const MeasuredGrid& grid, const BoxSpace& space)
      : tree_(tree),
        grid_(grid),
        space_(space),
        chosen_(chosen_methods(tree, space)),
        tests_collective_(tree.size()) {
    result_.methods = grid.methods;
    for (std::size_t i = tree.size(); i-- > 0;) {
      const BoxNode& node = tree[i];
      if (node.is_leaf()) continue;
      tests_collective_[i] = grid.axes[node.axis].is_collective || tests_collective_[node.low] ||
                             tests_collective_[node.high];
    }
  }

  // Nodes that belong to one root only come first, because children follow all their parents.
  RuleTree run(const std::vector<Collective>& collectives) {
    for (const Collective collective : collectives) {
      result_.roots.push_back({collective, 0});
      const std::size_t root = result_.roots.size() - 1;
      append(0, {.root = root}, collective);
    }
    const std::vector<Link> shared = std::move(shared_);
    std::vector<std::uint32_t> place(tree_.size(), RuleNode::kLeaf);
    for (const Link& link : shared) {
      if (place[link.node] == RuleNode::kLeaf) place[link.node] = append_all(link.node);
      set(link.from, place[link.node]);
    }
    return std::move(result_);
  }

 private:
  struct Place {
    std::size_t root = kNone;  // or a node of the result
    std::uint32_t parent = 0;
    bool high = false;
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  };
  struct Link {
    std::uint32_t node;
    Place from;
  };

  void set(const Place& from, std::uint32_t index) {
    if (from.root != Place::kNone) {
      result_.roots[from.root].node = index;
    } else {
      (from.high ? result_.nodes[from.parent].high : result_.nodes[from.parent].low) = index;
    }
  }

  // Depth is at most the number of leaves.
  void append(std::uint32_t at, const Place& from, Collective collective) {
    const BoxNode& node = tree_[at];
    if (!tests_collective_[at]) {
      shared_.push_back({at, from});
    } else if (grid_.axes[node.axis].is_collective) {
      append(side_of(node, collective), from, collective);
    } else {
      const std::uint32_t index = append_test_of(node);
      set(from, index);
      append(node.low, {.parent = index}, collective);
      append(node.high, {.parent = index, .high = true}, collective);
    }
  }

  std::uint32_t append_all(std::uint32_t at) {
    const BoxNode& node = tree_[at];
    if (node.is_leaf()) return append_leaf(result_, static_cast<std::uint16_t>(node.method));
    const std::uint32_t index = append_test_of(node);
    const std::uint32_t low = append_all(node.low);
    const std::uint32_t high = append_all(node.high);
    result_.nodes[index].low = low;
    result_.nodes[index].high = high;
    return index;
  }

  std::uint32_t side_of(const BoxNode& node, Collective collective) const {
    const BoxAxis& axis = space_.axes()[node.axis];
    const std::size_t index = grid_.axes[node.axis].index({.collective = collective});
    const auto low = axis.indices_of(node.split.low);
    return std::ranges::find(low, index) != low.end() ? node.low : node.high;
  }

  std::uint32_t append_test_of(const BoxNode& node) {
    if (node.split.test == TestKind::kPowerOfTwo) {
      return append_test(result_, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
    }
    return append_test(result_, grid_.axes[node.axis].attribute,
                       threshold_at_crossing(grid_, space_, chosen_, node));
  }

  const BoxTree& tree_;
  const MeasuredGrid& grid_;
  const BoxSpace& space_;
  std::vector<std::size_t> chosen_;
  std::vector<bool> tests_collective_;  // by node: it or one below it
  RuleTree result_;
  std::vector<Link> shared_;
};

}  // namespace

RuleTree lower_box_tree(const BoxTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                        const std::vector<Collective>& collectives) {
  return Lowering(tree, grid, space).run(collectives);
}

TreeShape shape(const BoxTree& tree) {
  RuleTree plain{.methods = {{}}};
  for (const BoxNode& node : tree) {
    plain.nodes.push_back({.low = node.low, .high = node.is_leaf() ? 0 : node.high});
  }
  return colltree::shape(plain, 0);
}

}  // namespace colltree::optimal
