// SPDX-License-Identifier: BSD-3-Clause
#include "model/united_trees.h"

#include <algorithm>

#include "base/error.h"

namespace colltree {

namespace {

// The index of the method in the tree, which is given it if need be.
std::uint16_t method_of(RuleTree& tree, const Method& method) {
  const auto found = std::ranges::find(tree.methods, method);
  const auto index = static_cast<std::size_t>(found - tree.methods.begin());
  if (index > 0xFFFF) throw Error("more than 65536 methods are too many for one tree");
  if (found == tree.methods.end()) tree.methods.push_back(method);
  return static_cast<std::uint16_t>(index);
}

void append_tree(RuleTree& all, const RuleTree& tree) {
  const auto first = static_cast<std::uint32_t>(all.nodes.size());
  for (const RuleTree::Root& root : tree.roots) {
    all.roots.push_back({root.collective, first + root.node});
  }
  for (RuleNode node : tree.nodes) {
    if (node.is_leaf()) {
      node.method = method_of(all, tree.methods[node.method]);
    } else {
      node.low += first;
      node.high += first;
    }
    all.nodes.push_back(node);
  }
}

}  // namespace

RuleTree united(std::span<const RuleTree> trees) {
  RuleTree all;
  for (const RuleTree& tree : trees) append_tree(all, tree);
  validate(all);
  return all;
}

}  // namespace colltree
