// SPDX-License-Identifier: BSD-3-Clause
#include "model/rough_spots.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "timings/instance_grid.h"

namespace colltree::model {

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

struct TimedPoint {
  std::size_t instance = 0;
  double octave = 0;
  Method method;
  double log_time = 0;
  double log_best = 0;
  bool predicted = false;
};
using Line = std::vector<TimedPoint>;

// The points of the grid from cell `first` on, where the choice can run.
Line line_of(const Timings& timings, const Chooser& choose, const InstanceGrid& grid,
             std::size_t first, std::size_t step, const std::vector<std::uint64_t>& sizes) {
  Line points;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto instance = grid.instance[first + k * step];
    if (!instance) continue;
    Method method = choose(timings.instances[*instance]);
    const Time time = timings.time_of(*instance, method);
    if (time.is_impossible()) continue;
    const double best_us = std::fmin(time.known_us(), timings.least_known_us(*instance));
    points.push_back({*instance, octaves(sizes[k]), std::move(method), std::log(time.known_us()),
                      std::log(best_us), time.is_predicted()});
  }
  return points;
}

double slope(const TimedPoint& a, const TimedPoint& b, double TimedPoint::*value) {
  return (b.*value - a.*value) / (b.octave - a.octave);
}

double trend(const Line& line, std::size_t k) {
  double sum = 0;
  int steps = 0;
  const auto add = [&](std::size_t i) {
    if (line[i].method != line[i + 1].method) return;
    sum += slope(line[i], line[i + 1], &TimedPoint::log_time);
    ++steps;
  };
  if (k > 0) add(k - 1);
  if (k + 2 < line.size()) add(k + 1);
  return steps > 0 ? sum / steps : slope(line[k], line[k + 1], &TimedPoint::log_best);
}

void add_jumps(const Timings& timings, const Line& line, double least_factor,
               std::vector<Jump>& found) {
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const TimedPoint& a = line[k];
    const TimedPoint& b = line[k + 1];
    if (a.method == b.method) continue;
    const double expected = a.log_time + trend(line, k) * (b.octave - a.octave);
    const double factor = std::exp(std::fabs(b.log_time - expected));
    if (factor <= least_factor) continue;
    found.push_back({timings.instances[a.instance], timings.instances[b.instance], a.method,
                     b.method, std::exp(a.log_time), std::exp(b.log_time),
                     std::expm1(a.log_time - a.log_best), std::expm1(b.log_time - b.log_best),
                     std::exp(expected), factor, a.predicted || b.predicted});
  }
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

std::vector<Jump> find_jumps(const Timings& timings, const Chooser& choose, double least_factor) {
  const InstanceGrid grid = make_map_grid(timings);
  const auto& ranks = grid.communicator_sizes();
  const auto& bytes = grid.message_sizes();
  std::vector<Jump> found;
  const auto look = [&](std::size_t first, std::size_t step,
                        const std::vector<std::uint64_t>& sizes) {
    add_jumps(timings, line_of(timings, choose, grid, first, step, sizes), least_factor, found);
  };
  for (std::size_t row = 0; row < ranks.size(); ++row) look(row * bytes.size(), 1, bytes);
  for (std::size_t column = 0; column < bytes.size(); ++column) look(column, bytes.size(), ranks);
  std::ranges::stable_sort(found, std::ranges::greater(), &Jump::factor);
  return found;
}

}  // namespace colltree::model
