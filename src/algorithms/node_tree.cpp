// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_tree.h"

namespace colltree {

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

}  // namespace colltree
