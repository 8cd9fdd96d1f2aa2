// SPDX-License-Identifier: BSD-3-Clause
#include "emit/tabulate.h"

#include <array>

namespace colltree {

namespace {

GridAxis interval_axis(Attribute attribute, const std::set<std::uint64_t>& thresholds) {
  GridAxis axis{.attribute = attribute};
  axis.thresholds.assign(thresholds.begin(), thresholds.end());
  axis.values = axis.thresholds;
  axis.values.push_back(UINT64_MAX);
  return axis;
}

// Follows a cell's largest values. Attributes derived from a size are axes of their own here, so
// the values are given by attribute and not as an Instance, which could not hold them.
std::uint16_t decide_values(const RuleTree& tree, std::uint32_t node,
                            const std::array<std::uint64_t, kAttributes>& values) {
  while (!tree.nodes[node].is_leaf()) {
    const RuleNode& test = tree.nodes[node];
    const std::uint64_t value = values[static_cast<std::size_t>(test.attribute)];
    node = value <= test.threshold ? test.low : test.high;
  }
  return tree.nodes[node].method;
}

}  // namespace

std::optional<LabelGrid> tabulate(const RuleTree& tree, const RuleTree::Root& root,
                                  std::size_t most_cells) {
  LabelGrid grid{.methods = tree.methods, .collectives = {root.collective}};
  const Thresholds thresholds = thresholds_of(tree, root.node);
  std::size_t cells = 1;
  constexpr Attribute kOrder[] = {Attribute::kCommunicatorSizeIsPowerOfTwo,
                                  Attribute::kMessageSizeIsEven,
                                  Attribute::kNodes,
                                  Attribute::kRanksPerNode,
                                  Attribute::kCommunicatorSize,
                                  Attribute::kMessageSize};
  for (const Attribute attribute : kOrder) {
    const auto& own = thresholds[attribute];
    const bool always =
        attribute == Attribute::kCommunicatorSize || attribute == Attribute::kMessageSize;
    if (own.empty() && !always) continue;
    grid.axes.push_back(interval_axis(attribute, own));
    if (grid.axes.back().size() > most_cells / cells) return std::nullopt;
    cells *= grid.axes.back().size();
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::array<std::uint64_t, kAttributes> values = {};
    std::size_t rest = cell;
    for (std::size_t axis = grid.axes.size(); axis-- > 0;) {
      const GridAxis& one = grid.axes[axis];
      values[static_cast<std::size_t>(one.attribute)] = one.values[rest % one.size()];
      rest /= one.size();
    }
    grid.labels.push_back(decide_values(tree, root.node, values));
  }
  return grid;
}

}  // namespace colltree
