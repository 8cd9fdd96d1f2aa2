// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_sweep.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "model/c45/grow_presorted.h"
#include "model/c45/prune.h"

namespace colltree {

namespace {

// Wrong answers on the training instances, from the leaves: complete data reach them whole.
std::uint64_t training_errors(const c45::Tree& tree) {
  std::uint64_t errors = 0;
  for (const c45::Node& node : tree.nodes) {
    if (!node.is_leaf() || !(node.items > 0)) continue;
    float most = 0;
    for (const c45::ClassWeight& entry : tree.leaf_distribution(node)) {
      most = std::max(most, entry.weight);
    }
    errors += static_cast<std::uint64_t>(node.items - most);
  }
  return errors;
}

TreeErrors errors_of(const c45::Tree& tree, std::size_t cases) {
  const c45::TreeSize size = c45::size_of(tree);
  const std::uint64_t errors = training_errors(tree);
  return {size.leaves, size.nodes, errors,
          static_cast<double>(errors) / static_cast<double>(cases)};
}

// All confidence levels of one weight.
void sweep_weight(c45::PresortedGrower& grower, const C45Table& table, int weight,
                  std::span<const float> confidence_levels, std::span<C45SweepPoint> points) {
  const c45::Tree grown = grower.grow({.weight = weight});
  const TreeErrors before = errors_of(grown, table.cases.size());
  c45::CompletePruner pruner(grown, table.schema, table.cases);
  for (std::size_t i = 0; i < confidence_levels.size(); ++i) {
    const c45::Tree pruned = pruner.prune(c45::confidence_fraction(confidence_levels[i])).tree;
    const c45::Node& root = pruned.nodes[0];
    points[i] = {weight,
                 confidence_levels[i],
                 {before, errors_of(pruned, table.cases.size()), root.errors / root.items}};
  }
}

}  // namespace

std::vector<C45SweepPoint> c45_sweep(const C45Table& table, std::span<const int> weights,
                                     std::span<const float> confidence_levels) {
  const c45::Thresholds thresholds(table.schema, table.cases);
  std::vector<C45SweepPoint> points(weights.size() * confidence_levels.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    c45::PresortedGrower grower(table.schema, table.cases, thresholds);
    for (std::size_t i = next++; i < weights.size(); i = next++) {
      const auto own =
          std::span(points).subspan(i * confidence_levels.size(), confidence_levels.size());
      sweep_weight(grower, table, weights[i], confidence_levels, own);
    }
  };
  std::vector<std::future<void>> others;
  const std::size_t threads =
      std::min<std::size_t>(std::thread::hardware_concurrency(), weights.size());
  for (std::size_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
  return points;
}

}  // namespace colltree
