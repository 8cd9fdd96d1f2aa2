// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace colltree::algorithms {

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

namespace {

// Nodes are numbered from 1 in order: left subtree, root, right subtree; the root of a subtree of
// height h is a multiple of 2^h, so that odd ones are leaves. Bits pass 2^30 before sizes do.
unsigned root_of(unsigned nodes) { return std::bit_floor(nodes); }

unsigned lowest_bit(unsigned node) { return node & (~node + 1); }

unsigned parent_of(unsigned node, unsigned nodes) {
  do {
    const unsigned bit = lowest_bit(node);
    node = (node & (2 * bit)) != 0 ? node - bit : node + bit;
  } while (node > nodes);  // not there: its own parent
  return node;
}

// The first tree by its numbers. The right subtree, not the larger of the two, comes first.
Tree in_order_tree(unsigned nodes, unsigned node) {
  Tree tree;
  if (node != root_of(nodes)) tree.parent = static_cast<int>(parent_of(node, nodes));
  unsigned step = lowest_bit(node) / 2;
  const unsigned left = node - step;
  while (step > 0 && node + step > nodes) step /= 2;
  if (step > 0) tree.add_child(static_cast<int>(node + step));
  if (left < node) tree.add_child(static_cast<int>(left));
  return tree;
}

// The second tree is the first with its numbers turned around or, where these are odd in number,
// moved up by 1: odd becomes even, so what had children there is a leaf here. Of an odd number the
// last comes to be the first, a leaf in both.
int in_second(int nodes, int number) {
  return nodes % 2 == 0 ? nodes + 1 - number : number % nodes + 1;
}
int from_second(int nodes, int number) {
  return nodes % 2 == 0 ? nodes + 1 - number : (number + nodes - 2) % nodes + 1;
}

// `rank_of(number)`
template <typename RankOf>
TwoTrees seen_from(int nodes, int number, RankOf rank_of) {
  TwoTrees two;
  two.levels = static_cast<int>(std::bit_width(static_cast<unsigned>(nodes)));
  for (int which : {0, 1}) {
    const auto count = static_cast<unsigned>(nodes);
    const int here = which == 0 ? number : from_second(nodes, number);
    const auto rank = [&](int there) {
      return rank_of(which == 0 ? there : in_second(nodes, there));
    };
    Tree& tree = two.tree[which];
    if (number == 0) {
      tree.add_child(rank(static_cast<int>(root_of(count))));
      continue;
    }
    tree = in_order_tree(count, static_cast<unsigned>(here));
    if (tree.parent != kNoRank) tree.parent = rank(tree.parent);
    for (int i = 0; i < tree.child_count; ++i) tree.children[i] = rank(tree.children[i]);
  }
  return two;
}

}  // namespace

TwoTrees TwoTrees::over_all(int size, int rank) {
  return seen_from(size, rank + 1, [](int number) { return number - 1; });
}

TwoTrees TwoTrees::below(int root, int size, int rank) {
  const Placement placement = Placement::from_root(size, root);
  TwoTrees two = seen_from(size - 1, placement.position(rank),
                           [&](int number) { return placement.rank(number); });
  if (rank == root) return two;
  for (Tree& tree : two.tree) {
    if (tree.parent == kNoRank) tree.parent = root;
  }
  return two;
}

Tree tree_over_nodes(const NodeLayout& nodes, int root, int rank, int radix) {
  const int roots_node = nodes.node_of(root);
  const auto leader = [&](int node) { return node == roots_node ? root : nodes.rank(node, 0); };
  const int node = nodes.node_of(rank);
  const Placement here = Placement::from_root(nodes.ranks_on(node), nodes.index_of(leader(node)));
  Tree tree = here.tree(knomial_tree, nodes.index_of(rank), radix);
  if (tree.parent != kNoRank) tree.parent = nodes.rank(node, tree.parent);
  for (int i = 0; i < tree.child_count; ++i) tree.children[i] = nodes.rank(node, tree.children[i]);
  if (rank != leader(node)) return tree;
  const Tree above =
      Placement::from_root(nodes.nodes(), roots_node).tree(knomial_tree, node, radix);
  if (above.parent != kNoRank) tree.parent = leader(above.parent);
  for (int i = 0; i < above.child_count; ++i) tree.add_child(leader(above.children[i]));
  return tree;
}

}  // namespace colltree::algorithms
