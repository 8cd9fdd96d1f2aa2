// SPDX-License-Identifier: BSD-3-Clause
// Pessimistic pruning with subtree raising, over all training cases (reference/c45-release8.md,
// section 7), for complete data.
#pragma once

#include <memory>

#include "engine/split.h"
#include "engine/tree.h"

namespace colltree::c45 {

struct PruneResult {
  Tree tree;             // compact; node errors are pessimistic estimates
  bool changed = false;  // some subtree was replaced: release 8 prints "Simplified Decision Tree"
};

// What release 8 gives where the order of the cases does not matter: the cases are sent down the
// tree once, however many confidence levels it is then pruned with, and subtree raising looks at
// the cases of the smaller branches alone.
class CompletePruner {
 public:
  // The tree and the cases must outlive the pruner. O(cases x depth).
  CompletePruner(const Tree& grown, const Schema& schema, const Cases& cases);
  ~CompletePruner();
  PruneResult prune(float confidence);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

// After pruning with -s: takes from the last branch of each grouped test the values that cannot
// occur there, and drops a last branch that has none left.
void drop_impossible_values(Tree& tree, const Schema& schema);

// The end of every training.
Trial pruned_trial(Tree grown, PruneResult pruned, const Schema& schema,
                   const TreeOptions& options);

}  // namespace colltree::c45
