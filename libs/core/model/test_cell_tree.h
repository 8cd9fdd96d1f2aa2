// SPDX-License-Identifier: BSD-3-Clause
// For tests and benchmarks: what a tree over cells decides before it is lowered.
#pragma once

#include <initializer_list>

#include "model/cell_tree.h"

namespace colltree::model {

// The leaf's method at grid indices, one for each axis. The tree must not test for powers of two.
inline std::uint16_t decide_at(const CellTree& tree, std::initializer_list<std::size_t> index) {
  const CellNode* node = tree.data();
  while (!node->is_leaf())
    node = &tree[node->goes_low(index.begin()[node->axis]) ? node->low : node->high];
  return node->method;
}

}  // namespace colltree::model
