// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/train.h"

#include "model/c45/grow_presorted.h"

namespace colltree::c45 {

Trial pruned_trial(Tree grown, PruneResult pruned, const Schema& schema,
                   const GrowOptions& options) {
  if (options.group) drop_impossible_values(pruned.tree, schema);
  return {std::move(grown), std::move(pruned.tree), pruned.changed};
}

Trial train_complete(const Schema& schema, const Cases& cases, const GrowOptions& options,
                     float confidence_percent) {
  const Thresholds thresholds(schema, cases);
  Tree grown = PresortedGrower(schema, cases, thresholds).grow(options);
  PruneResult pruned =
      CompletePruner(grown, schema, cases).prune(confidence_fraction(confidence_percent));
  return pruned_trial(std::move(grown), std::move(pruned), schema, options);
}

}  // namespace colltree::c45
