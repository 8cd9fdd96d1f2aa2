// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees.h"

#include <algorithm>
#include <cstdint>

namespace colltree {

Tree binomial_tree(int size, int position, int) {
  Tree tree;
  // Unsigned: the bit may pass 2^30 before it passes `size`.
  for (unsigned bit = 1; bit < static_cast<unsigned>(size); bit <<= 1) {
    if (position & bit) {
      tree.parent = static_cast<int>(position - bit);
      break;
    }
    if (position + bit < static_cast<unsigned>(size))
      tree.add_child(static_cast<int>(position + bit));
  }
  return tree;
}

Tree binary_tree(int size, int position, int) {
  Tree tree;
  int top = 0;  // root of the subtree that holds `position`, of `size` nodes
  for (;;) {
    const int near = (size - 1) / 2;
    const int far = size - 1 - near;
    const int far_top = top + 1 + near;
    if (position == top) {
      if (near > 0) tree.add_child(top + 1);
      if (far > 0) tree.add_child(far_top);
      return tree;
    }
    tree.parent = top;
    size = position >= far_top ? far : near;
    top = position >= far_top ? far_top : top + 1;
  }
}

Tree chain_tree(int size, int position, int) {
  Tree tree;
  if (position > 0) tree.parent = position - 1;
  if (position + 1 < size) tree.add_child(position + 1);
  return tree;
}

Tree knomial_tree(int size, int position, int radix) {
  Tree tree;
  // 64 bits: the digit's weight may pass 2^31 before it passes `size`.
  for (std::int64_t weight = 1; weight < size; weight *= radix) {
    const std::int64_t digit = position / weight % radix;
    if (digit != 0) {
      tree.parent = static_cast<int>(position - digit * weight);
      break;
    }
    for (int j = 1; j < radix && position + j * weight < size; ++j)
      tree.add_child(static_cast<int>(position + j * weight));
  }
  return tree;
}

int knomial_subtree(int size, int position, int radix) {
  if (position == 0) return size;
  std::int64_t weight = 1;  // of the lowest digit that is not 0
  while (position % (weight * radix) == 0) weight *= radix;
  return static_cast<int>(std::min<std::int64_t>(weight, size - position));
}

Tree Placement::tree(TreeShape* shape, int rank_here, int radix) const {
  Tree tree = shape(size_, position(rank_here), radix);
  if (tree.parent != kNoRank) tree.parent = rank(tree.parent);
  for (int i = 0; i < tree.child_count; ++i) tree.children[i] = rank(tree.children[i]);
  return tree;
}

}  // namespace colltree
