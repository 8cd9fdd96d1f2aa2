// SPDX-License-Identifier: BSD-3-Clause
// Pruning for complete data, in less time.
#pragma once

#include <memory>

#include "model/c45/prune.h"

namespace colltree::c45 {

// What prune_ordered gives, for complete data, where the order does not matter: the cases are sent
// down the tree once, however many confidence levels it is then pruned with, and subtree raising
// looks at the cases of the smaller branches alone.
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

}  // namespace colltree::c45
