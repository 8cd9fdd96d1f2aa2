// SPDX-License-Identifier: BSD-3-Clause
#include "emit/simplify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "decision/cdt_format.h"
#include "model/quadtree/grid_tree.h"

namespace colltree::emit {

namespace {

// The values of an attribute that can still arrive at a node.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};
using Ranges = std::array<Range, kAttributes>;

Ranges all_values() {
  Ranges ranges;
  for (std::size_t i = 0; i < kAttributes; ++i) {
    ranges[i].most = greatest_value(static_cast<Attribute>(i));
  }
  return ranges;
}

bool equal_subtrees(const model::RuleTree& tree, std::uint32_t a, std::uint32_t b) {
  const model::RuleNode& node = tree.nodes[a];
  const model::RuleNode& two = tree.nodes[b];
  if (node.is_leaf() || two.is_leaf()) {
    return node.is_leaf() && two.is_leaf() && node.method == two.method;
  }
  return node.attribute == two.attribute && node.threshold == two.threshold &&
         equal_subtrees(tree, node.low, two.low) && equal_subtrees(tree, node.high, two.high);
}

class Simplifier {
 public:
  Simplifier(const model::RuleTree& from, model::RuleTree& to) : from_(from), to_(to) {}

  std::uint32_t copy(std::uint32_t index, const Ranges& ranges) {
    const model::RuleNode& node = from_.nodes[index];
    if (node.is_leaf()) return model::append_leaf(to_, node.method);
    const auto attribute = static_cast<std::size_t>(node.attribute);
    if (ranges[attribute].most <= node.threshold) return copy(node.low, ranges);
    if (ranges[attribute].least > node.threshold) return copy(node.high, ranges);
    Ranges below = ranges;
    below[attribute].most = node.threshold;
    Ranges above = ranges;
    above[attribute].least = node.threshold + 1;
    const std::uint32_t test = model::append_test(to_, node.attribute, node.threshold);
    const std::uint32_t low = copy(node.low, below);
    const std::uint32_t high = copy(node.high, above);
    if (equal_subtrees(to_, low, high)) return collapse(test, low, high);
    to_.nodes[test].low = low;
    to_.nodes[test].high = high;
    return test;
  }

 private:
  // Removes everything from `test` on except the low side, which moves to its place.
  std::uint32_t collapse(std::uint32_t test, std::uint32_t low, std::uint32_t high) {
    std::vector<model::RuleNode>& nodes = to_.nodes;
    nodes.resize(high);
    const std::uint32_t shift = low - test;
    nodes.erase(nodes.begin() + test, nodes.begin() + low);
    for (std::size_t i = test; i < nodes.size(); ++i) {
      if (nodes[i].is_leaf()) continue;
      nodes[i].low -= shift;
      nodes[i].high -= shift;
    }
    return test;
  }

  const model::RuleTree& from_;
  model::RuleTree& to_;
};

}  // namespace

model::RuleTree simplify(const model::RuleTree& tree) {
  model::RuleTree result{.methods = tree.methods};
  for (const model::RuleTree::Root& root : tree.roots) {
    const std::uint32_t node = Simplifier(tree, result).copy(root.node, all_values());
    result.roots.push_back({root.collective, node});
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

double expected_tests(const model::RuleTree& tree, std::uint32_t root, Collective collective,
                      std::span<const CallCount> mix) {
  double calls = 0;
  double tests = 0;
  for (const CallCount& count : mix) {
    if (count.instance.collective != collective) continue;
    calls += count.calls;
    for (std::uint32_t node = root; !tree.nodes[node].is_leaf();) {
      const model::RuleNode& test = tree.nodes[node];
      tests += count.calls;
      node =
          attribute_value(test.attribute, count.instance) <= test.threshold ? test.low : test.high;
    }
  }
  return calls > 0 ? tests / calls : 0;
}

namespace {

constexpr std::size_t kMostSimplifiedCells = std::size_t{1} << 14;

// The weight of a cell is its number of calls and a trace more: a cell that is never called must
// keep its method, or the new tree would not decide the same.
std::vector<double> cell_weights(const model::LabelGrid& grid, std::span<const CallCount> mix) {
  const bool called = std::ranges::any_of(mix, [&](const CallCount& count) {
    return count.instance.collective == grid.collectives[0];
  });
  if (!called) return {};
  std::vector<double> weights = model::grid_weights(grid, mix);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  const double trace = 1e-6 * sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight += trace;
  return weights;
}

std::optional<model::RuleTree> divided_anew(const model::RuleTree& tree,
                                            const model::RuleTree::Root& root,
                                            std::span<const CallCount> mix) {
  std::optional<model::LabelGrid> grid = tabulate(tree, root, kMostSimplifiedCells);
  if (!grid || grid->axes.size() > model::kMostAxes) return std::nullopt;
  grid->weights = cell_weights(*grid, mix);
  const model::CellTree cut = model::fit_grid_tree(*grid, {.reshape = model::Reshape::kNone}).first;
  return model::lower(cut, grid->axes, tree.methods, {root.collective});
}

bool is_better(const model::RuleTree& candidate, const model::RuleTree& current,
               std::uint32_t current_root, Collective collective, std::span<const CallCount> mix) {
  const std::uint32_t root = candidate.roots[0].node;
  const double before = expected_tests(current, current_root, collective, mix);
  const double after = expected_tests(candidate, root, collective, mix);
  if (before != after) return after < before;
  return model::shape(candidate, root).leaves < model::shape(current, current_root).leaves;
}

void append_subtree(model::RuleTree& to, const model::RuleTree& from,
                    const model::RuleTree::Root& root) {
  model::RuleTree tree{.methods = from.methods, .roots = {root}, .nodes = from.nodes};
  tree = simplify(tree);  // leaves what this root reaches
  const auto shift = static_cast<std::uint32_t>(to.nodes.size());
  for (model::RuleNode node : tree.nodes) {
    if (!node.is_leaf()) {
      node.low += shift;
      node.high += shift;
    }
    to.nodes.push_back(node);
  }
  to.roots.push_back({root.collective, tree.roots[0].node + shift});
}

}  // namespace

model::RuleTree merge_regions(const model::RuleTree& tree, std::span<const CallCount> mix) {
  const model::RuleTree simple = simplify(tree);
  model::RuleTree result{.methods = tree.methods};
  for (const model::RuleTree::Root& root : simple.roots) {
    const std::optional<model::RuleTree> anew = divided_anew(simple, root, mix);
    const bool better = anew && is_better(*anew, simple, root.node, root.collective, mix);
    append_subtree(result, better ? *anew : simple, better ? anew->roots[0] : root);
  }
  return result;
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
