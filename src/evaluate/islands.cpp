// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/islands.h"

#include <fmt/format.h>

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

class Search {
 public:
  Search(const RuleTree& tree, const Timings& timings, double most_cost)
      : tree_(tree), timings_(timings), most_cost_(most_cost) {}

  void run(std::uint32_t root, std::vector<Island>& found) {
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) follow(root, i);
    collect(root, {}, found);
  }

 private:
  // Where the leaf's parent is the last test on the way.
  void follow(std::uint32_t node, std::size_t i) {
    const Instance& at = timings_.instances[i];
    std::uint32_t parent = RuleNode::kLeaf;
    while (!tree_.nodes[node].is_leaf()) {
      const RuleNode& test = tree_.nodes[node];
      parent = node;
      node = attribute_value(test.attribute, at) <= test.threshold ? test.low : test.high;
    }
    if (parent == RuleNode::kLeaf) return;
    const RuleNode& test = tree_.nodes[parent];
    const std::uint16_t other = decide_from(tree_, test.low == node ? test.high : test.low, at);
    add(removals_[node], i, tree_.nodes[node].method, other);
  }

  void add(Removal& removal, std::size_t i, std::uint16_t now, std::uint16_t other) const {
    ++removal.instances;
    if (std::ranges::count(removal.instead, other) == 0) removal.instead.push_back(other);
    const double before = penalty_at(timings_, i, tree_.methods[now]);
    const double after = penalty_at(timings_, i, tree_.methods[other]);
    if (std::isnan(after)) {
      removal.breaks |= !std::isnan(before);
    } else {
      removal.added += after - (std::isnan(before) ? 0 : before);
    }
  }

  void collect(std::uint32_t node, const Region& region, std::vector<Island>& found) {
    const RuleNode& test = tree_.nodes[node];
    if (test.is_leaf()) return;
    const auto attribute = static_cast<std::size_t>(test.attribute);
    Region low = region;
    Region high = region;
    low.most[attribute] = std::min(low.most[attribute], test.threshold);
    high.least[attribute] = std::max(high.least[attribute], test.threshold + 1);
    for (const bool is_low : {true, false}) {
      const std::uint32_t child = is_low ? test.low : test.high;
      const Region& its_region = is_low ? low : high;
      if (tree_.nodes[child].is_leaf()) {
        judge(child, node, is_low, its_region, found);
      } else {
        collect(child, its_region, found);
      }
    }
  }

  void judge(std::uint32_t leaf, std::uint32_t parent, bool low, const Region& region,
             std::vector<Island>& found) {
    const Removal& removal = removals_[leaf];
    const double cost = removal.added / static_cast<double>(timings_.instances.size());
    if (removal.breaks || cost > most_cost_) return;
    Island island{timings_.collective,
                  region,
                  tree_.methods[tree_.nodes[leaf].method],
                  {},
                  removal.instances,
                  cost,
                  parent,
                  low};
    std::vector<std::uint16_t> instead = removal.instead;
    std::ranges::sort(instead);
    for (const std::uint16_t method : instead) island.instead.push_back(tree_.methods[method]);
    found.push_back(std::move(island));
  }

  const RuleTree& tree_;
  const Timings& timings_;
  double most_cost_;
  std::map<std::uint32_t, Removal> removals_;
};

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
    Search(unfolded_tree, *one, most_cost).run(root.node, found);
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
