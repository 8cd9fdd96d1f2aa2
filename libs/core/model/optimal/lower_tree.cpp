// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/lower_tree.h"

#include <algorithm>
#include <cmath>

namespace colltree::optimal {

namespace {

struct Border {
  std::size_t axis = 0;
  std::size_t low_index = 0;   // of the last size of the low side
  std::size_t high_index = 0;  // of the first of the high side
};

struct Difference {  // of the logarithms of the times, low side's method - high side's
  double at_low = 0;
  double at_high = 0;
};

Difference sum_along_border(const MeasuredGrid& grid, const BoxSpace& space,
                            const std::vector<std::size_t>& chosen, const BoxNode& node,
                            const Border& border) {
  const std::size_t stride = grid.stride(border.axis);
  const std::size_t step = (border.high_index - border.low_index) * stride;
  Difference sum;
  for (const std::size_t low : space.cells_of(node.box)) {
    if (low / stride % space.axes()[border.axis].size != border.low_index) continue;
    const std::size_t high = low + step;
    const auto difference = [&](std::size_t cell) {
      return std::log(grid.time_us[grid.value_index(cell, chosen[low])] /
                      grid.time_us[grid.value_index(cell, chosen[high])]);
    };
    const Difference at_both = {difference(low), difference(high)};
    const double weight = grid.weight[low] + grid.weight[high];
    if (std::isnan(at_both.at_low) || std::isnan(at_both.at_high)) continue;
    sum.at_low += weight * at_both.at_low;
    sum.at_high += weight * at_both.at_high;
  }
  return sum;
}

std::uint64_t between(std::uint64_t a, std::uint64_t b, const Difference& sum) {
  const bool nothing = sum.at_low == 0 && sum.at_high == 0;
  if (nothing || (sum.at_low > 0 && sum.at_high < 0)) return last_of_lower(a, b);
  if (sum.at_low >= 0) return a;  // the high side's methods are faster all the way
  if (sum.at_high <= 0) return b - 1;
  const double share = sum.at_low / (sum.at_low - sum.at_high);
  // A crossing at an integer, to the rounding of the logarithms, belongs to the low side.
  const double size = std::exp2(octaves(a) + share * (octaves(b) - octaves(a))) * (1 + 1e-12);
  if (!(size > static_cast<double>(a))) return a;
  return size >= static_cast<double>(b - 1) ? b - 1 : static_cast<std::uint64_t>(size);
}

// The method that the tree gives each cell.
std::vector<std::size_t> chosen_methods(const BoxTree& tree, const BoxSpace& space) {
  std::vector<std::size_t> chosen(space.cells());
  for (const BoxNode& node : tree) {
    if (!node.is_leaf()) continue;
    for (const std::size_t cell : space.cells_of(node.box)) chosen[cell] = node.method;
  }
  return chosen;
}

// The threshold of one test. Any integer between two measured sizes gives the same decisions on the
// measured points, but not on the sizes that programs use. Between the last measured size a of the
// low side and the first b of the high side the time of every method is interpolated linearly in
// log-log space. At each point along the border the method of the low side meets that of the high
// side; the threshold is the last integer where those of the low side are not slower, by the
// weighted mean of log(low / high). It is at least a and below b. If the times say nothing (same
// method on both sides, holes), it is the middle in log space, as for the other trees.
std::uint64_t threshold_at_crossing(const MeasuredGrid& grid, const BoxSpace& space,
                                    const std::vector<std::size_t>& chosen, const BoxNode& node) {
  const std::vector<Part>& parts = space.axes()[node.axis].parts;
  const Border border{node.axis, parts[node.split.low].last, parts[node.split.high].first};
  const std::vector<std::uint64_t>& values = grid.axes[node.axis].values;
  return between(values[border.low_index], values[border.high_index],
                 sum_along_border(grid, space, chosen, node, border));
}

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

  // Nodes that belong to one root only come first, because children must follow all their parents.
  model::RuleTree run(const std::vector<Collective>& collectives) {
    for (const Collective collective : collectives) {
      result_.roots.push_back({collective, 0});
      const std::size_t root = result_.roots.size() - 1;
      append(0, {.root = root}, collective);
    }
    const std::vector<Link> shared = std::move(shared_);
    std::vector<std::uint32_t> place(tree_.size(), model::RuleNode::kLeaf);
    for (const Link& link : shared) {
      if (place[link.node] == model::RuleNode::kLeaf) place[link.node] = append_all(link.node);
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
  void append(std::uint32_t box_node, const Place& from, Collective collective) {
    const BoxNode& node = tree_[box_node];
    if (!tests_collective_[box_node]) {
      shared_.push_back({box_node, from});
    } else if (grid_.axes[node.axis].is_collective) {
      append(side_of(node, collective), from, collective);
    } else {
      const std::uint32_t index = append_test_of(node);
      set(from, index);
      append(node.low, {.parent = index}, collective);
      append(node.high, {.parent = index, .high = true}, collective);
    }
  }

  std::uint32_t append_all(std::uint32_t box_node) {
    const BoxNode& node = tree_[box_node];
    if (node.is_leaf()) return model::append_leaf(result_, static_cast<std::uint16_t>(node.method));
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
      return model::append_test(result_, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
    }
    return model::append_test(result_, grid_.axes[node.axis].attribute,
                              threshold_at_crossing(grid_, space_, chosen_, node));
  }

  const BoxTree& tree_;
  const MeasuredGrid& grid_;
  const BoxSpace& space_;
  std::vector<std::size_t> chosen_;
  std::vector<bool> tests_collective_;  // by node: it or one below it
  model::RuleTree result_;
  std::vector<Link> shared_;
};

}  // namespace

model::RuleTree lower_box_tree(const BoxTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                               const std::vector<Collective>& collectives) {
  return Lowering(tree, grid, space).run(collectives);
}

model::TreeShape shape(const BoxTree& tree) {
  model::RuleTree plain{.methods = {{}}};
  for (const BoxNode& node : tree) {
    plain.nodes.push_back({.low = node.low, .high = node.is_leaf() ? 0 : node.high});
  }
  return colltree::model::shape(plain, 0);
}

}  // namespace colltree::optimal
