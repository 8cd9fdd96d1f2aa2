// SPDX-License-Identifier: BSD-3-Clause
// What the two ways to grow a tree share: the presorted one, and release 8's own with its order of
// the cases (c45/release8/grow_ordered.h).
#pragma once

#include <vector>

#include "engine/split.h"
#include "engine/tree.h"

namespace colltree::c45 {

class Grower {
 protected:
  Grower(const Schema& schema, const Cases& cases, const Thresholds& thresholds)
      : schema_(schema), cases_(cases), thresholds_(thresholds) {}

  // A tree of one node, and no test on the path.
  void start(const TreeOptions& options);
  // Turns a node into a test with fresh branches.
  void add_test(std::uint32_t index, std::size_t attribute, const Split& split);

  const Schema& schema_;
  const Cases& cases_;
  const Thresholds& thresholds_;
  TreeOptions options_;
  std::vector<bool> averaged_;  // by attribute: counts for the average gain
  std::vector<int> tested_;     // by attribute: discrete tests on the path
  Tree tree_;
};

}  // namespace colltree::c45
