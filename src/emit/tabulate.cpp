// SPDX-License-Identifier: BSD-3-Clause
#include "emit/tabulate.h"

#include <algorithm>
#include <array>

#include "runtime/cdt_format.h"

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

namespace {

constexpr std::size_t kWorthIt = 160;  // 320 bytes for an axis

std::uint16_t below(const std::vector<std::uint64_t>& thresholds, std::uint64_t value) {
  const auto first = std::ranges::lower_bound(thresholds, value);
  return static_cast<std::uint16_t>(first - thresholds.begin());
}

Buckets make_buckets(const std::vector<std::uint64_t>& thresholds, std::uint32_t mantissa) {
  Buckets made{.mantissa = mantissa};
  // The bucket after the largest threshold and all later ones are the same: the last.
  const std::uint64_t beyond = thresholds.empty() ? 0 : thresholds.back() + 1;
  const std::uint32_t count = cdt::bucket_of(beyond, mantissa) + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    made.start.push_back(below(thresholds, cdt::bucket_begin(i, mantissa)));
    const std::size_t end =
        i + 1 == count ? thresholds.size() : below(thresholds, cdt::bucket_begin(i + 1, mantissa));
    made.probes = std::max(made.probes, static_cast<std::uint32_t>(end - made.start.back()));
  }
  return made;
}

}  // namespace

Buckets best_buckets(const std::vector<std::uint64_t>& thresholds) {
  Buckets best = make_buckets(thresholds, 0);
  for (std::uint32_t mantissa = 1; mantissa <= cdt::kMostMantissa && best.probes > 1; ++mantissa) {
    Buckets finer = make_buckets(thresholds, mantissa);
    if (finer.start.size() > kWorthIt) break;
    if (finer.probes < best.probes) best = std::move(finer);
  }
  return best;
}

}  // namespace colltree
