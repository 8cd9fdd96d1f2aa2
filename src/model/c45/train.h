// SPDX-License-Identifier: BSD-3-Clause
// From complete cases to a tree, grown and pruned. What release 8 does beside this, for unknown
// values and windows, is in c45/release8.
#pragma once

#include "model/c45/prune.h"
#include "model/c45/split.h"
#include "model/c45/tree.h"

namespace colltree::c45 {

struct Trial {
  Tree grown;
  Tree pruned;
  bool simplified = false;
};

// No case may lack a value.
Trial train_complete(const Schema& schema, const Cases& cases, const GrowOptions& options,
                     float confidence_percent);
// The end of every training.
Trial pruned_trial(Tree grown, PruneResult pruned, const Schema& schema,
                   const GrowOptions& options);

}  // namespace colltree::c45
