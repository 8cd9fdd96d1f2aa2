// SPDX-License-Identifier: BSD-3-Clause
// A tree with its complete training cases in it: those of each node stand together.
#pragma once

#include <cstdint>
#include <vector>

#include "model/c45/dataset.h"
#include "model/c45/tree.h"

namespace colltree::c45 {

struct PlacedTree {
  // Where a node's cases are: ids[begin, begin + items). `most` counts its best class. A node that
  // no case reaches keeps what growing left in it, but has no items here.
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t items = 0;
    std::uint32_t most = 0;
    bool replaced = false;      // another node was raised to here
    bool raised_below = false;  // the tests on the way to its leaves are no longer the grown ones
  };

  explicit PlacedTree(Tree grown) : tree(std::move(grown)), places(tree.nodes.size()) {}

  std::uint32_t size(std::uint32_t node) const { return places[node].items; }
  float own_errors(std::uint32_t node) const {
    return size(node) > 0 ? tree.nodes[node].errors : 0.0F;
  }

  Tree tree;
  std::vector<std::uint32_t> ids;  // of all cases
  std::vector<Place> places;       // by node
};

// Groups ids[begin, end) by the branch that they take at the node; appends each branch's end to
// `bounds`. The order within a branch is not kept.
void partition(const Tree& tree, const Node& node, const Cases& cases,
               std::vector<std::uint32_t>& ids, std::uint32_t begin, std::uint32_t end,
               std::vector<std::uint32_t>& bounds);

}  // namespace colltree::c45
