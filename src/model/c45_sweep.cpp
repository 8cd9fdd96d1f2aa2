// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/c45/grow_presorted.h"
#include "model/c45/prune.h"
#include "model/c45_model.h"

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

}  // namespace

std::vector<C45SweepPoint> c45_sweep(const C45Table& table, std::span<const int> weights,
                                     std::span<const float> confidence_levels) {
  const c45::Thresholds thresholds(table.schema, table.cases);
  c45::PresortedGrower grower(table.schema, table.cases, thresholds);
  std::vector<C45SweepPoint> points;
  for (const int weight : weights) {
    const c45::Tree grown = grower.grow({.weight = weight});
    const c45::TreeSize before = c45::size_of(grown);
    const std::size_t errors_before = training_errors(grown);
    c45::CompletePruner pruner(grown, table.schema, table.cases);
    for (const float confidence : confidence_levels) {
      const c45::Tree pruned = pruner.prune(c45::confidence_fraction(confidence)).tree;
      const c45::TreeSize after = c45::size_of(pruned);
      const c45::Node& root = pruned.nodes[0];
      points.push_back({weight,
                        confidence,
                        {before.leaves, before.nodes, errors_before, after.leaves, after.nodes,
                         training_errors(pruned), root.errors / root.items}});
    }
  }
  return points;
}

}  // namespace colltree
