// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <set>

#include "emit/simplify.h"
#include "emit/tabulate.h"
#include "model/quadtree/grid_tree.h"
#include "model/quadtree/grid_tree_lower.h"

namespace colltree {

namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 14;

// Calls at the cells, and everywhere a trace of weight: a cell that is never called must still keep
// its method, or the new tree would not decide the same.
std::vector<double> cell_weights(const LabelGrid& grid, std::span<const CallCount> mix) {
  const bool called = std::ranges::any_of(
      mix, [&](const CallCount& one) { return one.instance.collective == grid.collectives[0]; });
  if (!called) return {};
  std::vector<double> weights = grid_weights(grid, mix);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  const double trace = 1e-6 * sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight += trace;
  return weights;
}

std::optional<RuleTree> divided_anew(const RuleTree& tree, const RuleTree::Root& root,
                                     std::span<const CallCount> mix) {
  std::optional<LabelGrid> grid = tabulate(tree, root, kMostCells);
  if (!grid || grid->axes.size() > kMostAxes) return std::nullopt;
  grid->weights = cell_weights(*grid, mix);
  const GridTree cut = fit_grid_tree(*grid, {.reshape = Reshape::kNone});
  return lower_grid_tree(cut, grid->axes, tree.methods, {root.collective});
}

bool is_better(const RuleTree& candidate, const RuleTree& current, std::uint32_t current_root,
               Collective collective, std::span<const CallCount> mix) {
  const std::uint32_t root = candidate.roots[0].node;
  const double before = expected_tests(current, current_root, collective, mix);
  const double after = expected_tests(candidate, root, collective, mix);
  if (before != after) return after < before;
  return shape(candidate, root).leaves < shape(current, current_root).leaves;
}

void append_subtree(RuleTree& to, const RuleTree& from, const RuleTree::Root& root) {
  RuleTree one{.methods = from.methods, .roots = {root}, .nodes = from.nodes};
  one = simplify(one);  // leaves what this root reaches
  const auto shift = static_cast<std::uint32_t>(to.nodes.size());
  for (RuleNode node : one.nodes) {
    if (!node.is_leaf()) {
      node.low += shift;
      node.high += shift;
    }
    to.nodes.push_back(node);
  }
  to.roots.push_back({root.collective, one.roots[0].node + shift});
}

}  // namespace

RuleTree merge_regions(const RuleTree& tree, std::span<const CallCount> mix) {
  const RuleTree simple = simplify(tree);
  RuleTree result{.methods = tree.methods};
  for (const RuleTree::Root& root : simple.roots) {
    const std::optional<RuleTree> anew = divided_anew(simple, root, mix);
    const bool better = anew && is_better(*anew, simple, root.node, root.collective, mix);
    append_subtree(result, better ? *anew : simple, better ? anew->roots[0] : root);
  }
  return result;
}

}  // namespace colltree
