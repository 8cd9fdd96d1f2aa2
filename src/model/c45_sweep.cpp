// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/classify.h"
#include "model/c45/grow_presorted.h"
#include "model/c45/prune.h"
#include "model/c45_model.h"

namespace colltree {

std::vector<C45SweepPoint> c45_sweep(const C45Table& table, std::span<const int> weights,
                                     std::span<const float> confidence_levels) {
  const c45::Thresholds thresholds(table.schema, table.cases);
  c45::PresortedGrower grower(table.schema, table.cases, thresholds);
  std::vector<C45SweepPoint> points;
  const std::size_t classes = table.schema.classes.size();
  for (const int weight : weights) {
    const c45::Tree grown = grower.grow({.weight = weight});
    const c45::TreeSize before = c45::size_of(grown);
    const std::size_t errors_before = c45::count_errors(grown, classes, table.cases);
    for (const float confidence : confidence_levels) {
      const c45::Tree pruned = c45::prune_complete(grown, table.schema, table.cases,
                                                   c45::confidence_fraction(confidence))
                                   .tree;
      const c45::TreeSize after = c45::size_of(pruned);
      const c45::Node& root = pruned.nodes[0];
      points.push_back(
          {weight,
           confidence,
           {before.leaves, before.nodes, errors_before, after.leaves, after.nodes,
            c45::count_errors(pruned, classes, table.cases), root.errors / root.items}});
    }
  }
  return points;
}

}  // namespace colltree
