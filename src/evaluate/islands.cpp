// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/islands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace colltree {

namespace {

std::uint32_t copy_below(const RuleTree& from, std::uint32_t node, RuleTree& to) {
  const RuleNode& one = from.nodes[node];
  if (one.is_leaf()) return append_leaf(to, one.method);
  const std::uint32_t copy = append_test(to, one.attribute, one.threshold);
  const std::uint32_t low = copy_below(from, one.low, to);
  const std::uint32_t high = copy_below(from, one.high, to);
  to.nodes[copy].low = low;
  to.nodes[copy].high = high;
  return copy;
}

// What removing one leaf changes, summed over the instances that reach it.
struct Removal {
  double added = 0;
  std::size_t instances = 0;
  bool breaks = false;  // a choice that can run becomes one that cannot
  std::vector<std::uint16_t> instead;
};

// Adds what the removal of the leaf that decides for instance `i` changes there. Its parent is the
// last test on the way.
void add_removal(const RuleTree& tree, const Timings& timings, std::uint32_t root, std::size_t i,
                 std::map<std::uint32_t, Removal>& removals) {
  const Instance& at = timings.instances[i];
  std::uint32_t node = root;
  std::uint32_t other = RuleNode::kLeaf;  // the other side of the last test
  while (!tree.nodes[node].is_leaf()) {
    const RuleNode& test = tree.nodes[node];
    const bool low = attribute_value(test.attribute, at) <= test.threshold;
    node = low ? test.low : test.high;
    other = low ? test.high : test.low;
  }
  if (other == RuleNode::kLeaf) return;
  const std::uint16_t instead = decide_from(tree, other, at);
  Removal& removal = removals[node];
  ++removal.instances;
  if (std::ranges::count(removal.instead, instead) == 0) removal.instead.push_back(instead);
  const double before = penalty_at(timings, i, tree.methods[tree.nodes[node].method]);
  const double after = penalty_at(timings, i, tree.methods[instead]);
  if (std::isnan(after)) {
    removal.breaks |= !std::isnan(before);
  } else {
    removal.added += after - (std::isnan(before) ? 0 : before);
  }
}

// A leaf below a test, with its region.
struct Leaf {
  std::uint32_t node = 0;
  std::uint32_t parent = 0;
  bool low = false;
  Region region;
};

void add_leaves(const RuleTree& tree, std::uint32_t node, const Region& region,
                std::vector<Leaf>& leaves) {
  const RuleNode& test = tree.nodes[node];
  if (test.is_leaf()) return;
  const auto attribute = static_cast<std::size_t>(test.attribute);
  Region low = region;
  Region high = region;
  low.most[attribute] = std::min(low.most[attribute], test.threshold);
  high.least[attribute] = std::max(high.least[attribute], test.threshold + 1);
  for (const bool is_low : {true, false}) {
    const std::uint32_t child = is_low ? test.low : test.high;
    if (tree.nodes[child].is_leaf()) {
      leaves.push_back({child, node, is_low, is_low ? low : high});
    } else {
      add_leaves(tree, child, is_low ? low : high, leaves);
    }
  }
}

void add_islands(const RuleTree& tree, std::uint32_t root, const Timings& timings, double most_cost,
                 std::vector<Island>& found) {
  std::map<std::uint32_t, Removal> removals;
  for (std::size_t i = 0; i < timings.instances.size(); ++i)
    add_removal(tree, timings, root, i, removals);
  std::vector<Leaf> leaves;
  add_leaves(tree, root, {}, leaves);
  for (const Leaf& leaf : leaves) {
    Removal& removal = removals[leaf.node];
    const double cost = removal.added / static_cast<double>(timings.instances.size());
    if (removal.breaks || cost > most_cost) continue;
    std::ranges::sort(removal.instead);
    std::vector<Method> instead;
    for (const std::uint16_t method : removal.instead) instead.push_back(tree.methods[method]);
    found.push_back({timings.collective, leaf.region, tree.methods[tree.nodes[leaf.node].method],
                     std::move(instead), removal.instances, cost, leaf.parent, leaf.low});
  }
}

// The test becomes a copy of its other side; what nothing reaches any more goes.
RuleTree without(const RuleTree& tree, const Island& island) {
  RuleTree changed = tree;
  const RuleNode& test = tree.nodes[island.parent];
  changed.nodes[island.parent] = tree.nodes[island.low ? test.high : test.low];
  return unfolded(changed);
}

}  // namespace

std::string region_text(const Region& region) {
  std::string text;
  const Region all;
  for (std::size_t i = 0; i < kAttributes; ++i) {
    if (region.least[i] == all.least[i] && region.most[i] == all.most[i]) continue;
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", name(static_cast<Attribute>(i)),
                        region.least[i],
                        region.most[i] == UINT64_MAX ? "" : fmt::format("{}", region.most[i]));
  }
  return text.empty() ? "everywhere" : text;
}

RuleTree unfolded(const RuleTree& tree) {
  RuleTree result{.methods = tree.methods, .roots = {}, .nodes = {}};
  for (const RuleTree::Root& root : tree.roots) {
    result.roots.push_back({root.collective, copy_below(tree, root.node, result)});
  }
  return result;
}

std::vector<Island> find_islands(const RuleTree& unfolded_tree, const std::vector<Timings>& timings,
                                 double most_cost) {
  std::vector<Island> found;
  for (const RuleTree::Root& root : unfolded_tree.roots) {
    const auto one = std::ranges::find(timings, root.collective, &Timings::collective);
    if (one == timings.end() || one->instances.empty()) continue;
    add_islands(unfolded_tree, root.node, *one, most_cost, found);
  }
  std::ranges::stable_sort(found, {},
                           [](const Island& one) { return std::tuple(one.cost, one.instances); });
  return found;
}

RuleTree merge_islands(const RuleTree& tree, const std::vector<Timings>& timings, double within) {
  RuleTree merged = unfolded(tree);
  std::map<Collective, double> spent;
  const double bound = within * (1 + 1e-12);  // a sum at the bound must not pass it by rounding
  while (true) {
    const std::vector<Island> islands = find_islands(merged, timings, bound);
    const auto next = std::ranges::find_if(islands, [&](const Island& island) {
      return spent[island.collective] + island.cost <= bound;
    });
    if (next == islands.end()) return merged;
    spent[next->collective] += next->cost;
    merged = without(merged, *next);
  }
}

}  // namespace colltree
