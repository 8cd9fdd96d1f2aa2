// SPDX-License-Identifier: BSD-3-Clause
#include "emit/simplify.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "decision/cdt_format.h"

namespace colltree::emit {

namespace {

class Simplifier {
 public:
  Simplifier(const model::RuleTree& from, bool merge) : from_(from), merge_(merge) {}

  std::uint32_t simplified(std::uint32_t index, const model::ValueRanges& ranges) {
    const model::RuleNode& node = from_.nodes[index];
    if (node.is_leaf()) return number_of(node);
    const auto attribute = static_cast<std::size_t>(node.attribute);
    if (ranges[attribute].most <= node.threshold) return simplified(node.low, ranges);
    if (ranges[attribute].least > node.threshold) return simplified(node.high, ranges);
    model::ValueRanges below = ranges;
    below[attribute].most = node.threshold;
    model::ValueRanges above = ranges;
    above[attribute].least = node.threshold + 1;
    model::RuleNode test = node;
    test.low = simplified(node.low, below);
    test.high = simplified(node.high, above);
    return merged(test);
  }

  // Appends the tree under a simplified node.
  std::uint32_t append(std::uint32_t index, model::RuleTree& to) const {
    const model::RuleNode node = nodes_[index];
    if (node.is_leaf()) return model::append_leaf(to, node.method);
    const std::uint32_t test = model::append_test(to, node.attribute, node.threshold);
    const std::uint32_t low = append(node.low, to);
    return model::link_children(to, test, low, append(node.high, to));
  }

 private:
  // The regions on both sides of a border are one where the same subtree decides for both.
  std::uint32_t merged(const model::RuleNode& test) {
    if (test.low == test.high) return test.low;
    if (!merge_) return number_of(test);
    const model::RuleNode low = nodes_[test.low];
    const model::RuleNode high = nodes_[test.high];
    const auto goes_on = [&](const model::RuleNode& side) {
      return !side.is_leaf() && side.attribute == test.attribute;
    };
    if (goes_on(high) && high.low == test.low) return test.high;
    if (goes_on(low) && low.high == test.high) return test.low;
    const bool same = !low.is_leaf() && !high.is_leaf() && low.attribute == high.attribute &&
                      low.threshold == high.threshold;
    if (!same || (low.low != high.low && low.high != high.high)) return number_of(test);
    // Both sides have the same test, and one of its sides is the same: it is asked first.
    model::RuleNode rest = test;
    model::RuleNode first = low;
    std::uint32_t model::RuleNode::*const different =
        low.low == high.low ? &model::RuleNode::high : &model::RuleNode::low;
    rest.low = low.*different;
    rest.high = high.*different;
    first.*different = merged(rest);
    return merged(first);
  }

  // Equal subtrees have the same number.
  std::uint32_t number_of(const model::RuleNode& node) {
    const auto key = std::tuple(node.attribute, node.threshold, node.low, node.high, node.method);
    const auto [known, is_new] = numbers_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return known->second;
  }

  const model::RuleTree& from_;
  bool merge_;
  std::vector<model::RuleNode> nodes_;
  std::map<std::tuple<Attribute, std::uint64_t, std::uint32_t, std::uint32_t, std::uint16_t>,
           std::uint32_t>
      numbers_;
};

}  // namespace

model::RuleTree simplify(const model::RuleTree& tree, bool merge) {
  model::RuleTree result{.methods = tree.methods};
  Simplifier simplifier(tree, merge);
  for (const model::RuleTree::Root& root : tree.roots) {
    const std::uint32_t node = simplifier.simplified(root.node, model::all_values());
    result.roots.push_back({root.collective, simplifier.append(node, result)});
  }
  return result;
}

void drop_unused_methods(model::RuleTree& tree) {
  std::vector<bool> is_used(tree.methods.size());
  for (const model::RuleNode& node : tree.nodes) {
    if (node.is_leaf()) is_used[node.method] = true;
  }
  std::vector<Method> used;
  std::vector<std::uint16_t> number;
  for (std::size_t m = 0; m < tree.methods.size(); ++m) {
    number.push_back(static_cast<std::uint16_t>(used.size()));
    if (is_used[m]) used.push_back(tree.methods[m]);
  }
  tree.methods = std::move(used);
  for (model::RuleNode& node : tree.nodes) {
    if (node.is_leaf()) node.method = number[node.method];
  }
}

namespace {

GridAxis interval_axis(Attribute attribute, const std::set<std::uint64_t>& thresholds) {
  GridAxis axis{.attribute = attribute};
  axis.thresholds.assign(thresholds.begin(), thresholds.end());
  axis.values = axis.thresholds;
  axis.values.push_back(UINT64_MAX);
  return axis;
}

// Follows the largest values of a cell. They are given by attribute, because attributes that derive
// from a size are axes of their own here, which an Instance could not hold.
std::uint16_t decide_values(const model::RuleTree& tree, std::uint32_t node,
                            const std::array<std::uint64_t, kAttributes>& values) {
  while (!tree.nodes[node].is_leaf()) {
    const model::RuleNode& test = tree.nodes[node];
    const std::uint64_t value = values[static_cast<std::size_t>(test.attribute)];
    node = value <= test.threshold ? test.low : test.high;
  }
  return tree.nodes[node].method;
}

}  // namespace

std::optional<model::LabelGrid> tabulate(const model::RuleTree& tree,
                                         const model::RuleTree::Root& root,
                                         std::size_t most_cells) {
  model::LabelGrid grid{.methods = tree.methods, .collectives = {root.collective}};
  const model::Thresholds thresholds = model::thresholds_of(tree, root.node);
  std::size_t cells = 1;
  constexpr Attribute kOrder[] = {Attribute::kCommunicatorSizeIsPowerOfTwo,
                                  Attribute::kMessageSizeIsEven,
                                  Attribute::kNodes,
                                  Attribute::kRanksPerNode,
                                  Attribute::kCommunicatorSize,
                                  Attribute::kMessageSize};
  for (const Attribute attribute : kOrder) {
    const auto& axis_thresholds = thresholds[attribute];
    const bool always =
        attribute == Attribute::kCommunicatorSize || attribute == Attribute::kMessageSize;
    if (axis_thresholds.empty() && !always) continue;
    grid.axes.push_back(interval_axis(attribute, axis_thresholds));
    if (grid.axes.back().size() > most_cells / cells) return std::nullopt;
    cells *= grid.axes.back().size();
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::array<std::uint64_t, kAttributes> values = {};
    std::size_t rest = cell;
    for (std::size_t axis = grid.axes.size(); axis-- > 0;) {
      const GridAxis& grid_axis = grid.axes[axis];
      values[static_cast<std::size_t>(grid_axis.attribute)] =
          grid_axis.values[rest % grid_axis.size()];
      rest /= grid_axis.size();
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
  Buckets buckets{.mantissa = mantissa};
  // All buckets after the largest threshold are the same, so the first of them is the last.
  const std::uint64_t beyond = thresholds.empty() ? 0 : thresholds.back() + 1;
  const std::uint32_t count = cdt::bucket_of(beyond, mantissa) + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    buckets.start.push_back(below(thresholds, cdt::bucket_begin(i, mantissa)));
    const std::size_t end =
        i + 1 == count ? thresholds.size() : below(thresholds, cdt::bucket_begin(i + 1, mantissa));
    buckets.probes =
        std::max(buckets.probes, static_cast<std::uint32_t>(end - buckets.start.back()));
  }
  return buckets;
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

}  // namespace colltree::emit
