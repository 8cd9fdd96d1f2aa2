// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/prune.h"

namespace colltree::c45 {

namespace {

// By discrete attribute, the values that can still occur below the tests made so far.
using Possible = std::vector<std::vector<bool>>;

struct Step {
  std::uint32_t node = 0;
  std::uint32_t next_branch = 0;
  std::vector<bool> before;  // of the node's attribute
};

void narrow(const Tree& tree, const Node& node, std::uint32_t branch, std::vector<bool>& possible) {
  for (std::size_t v = 1; v <= possible.size(); ++v) {
    const bool taken = node.test == TestKind::kValues
                           ? v == branch + 1
                           : tree.group_of[node.groups + v - 1] == branch;
    if (!taken) possible[v - 1] = false;
  }
}

void trim_last_branch(Tree& tree, Node& node, const std::vector<bool>& possible) {
  const std::uint32_t last = node.count - 1;
  bool any = false;
  for (std::uint32_t v = 1; v <= node.values; ++v) {
    std::uint32_t& branch = tree.group_of[node.groups + v - 1];
    if (branch != last) continue;
    if (possible[v - 1]) {
      any = true;
    } else {
      branch = kNoBranch;
    }
  }
  if (!any) --node.count;
}

}  // namespace

void drop_impossible_values(Tree& tree, const Schema& schema) {
  Possible possible;
  for (const Attribute& attribute : schema.attributes) {
    possible.emplace_back(attribute.values.size(), true);
  }
  std::vector<Step> path = {{.node = 0}};
  while (!path.empty()) {
    Step& step = path.back();
    Node& node = tree.nodes[step.node];
    const bool discrete = !node.is_leaf() && node.test != TestKind::kThreshold;
    if (step.next_branch == 0) {
      if (node.test == TestKind::kGroups) trim_last_branch(tree, node, possible[node.attribute]);
      if (discrete) step.before = possible[node.attribute];
    } else if (discrete) {
      possible[node.attribute] = step.before;
    }
    if (node.is_leaf() || step.next_branch == node.count) {
      path.pop_back();
      continue;
    }
    const std::uint32_t branch = step.next_branch++;
    if (discrete) narrow(tree, node, branch, possible[node.attribute]);
    path.push_back({.node = tree.branches(node)[branch]});
  }
  tree = compacted(tree);
}

}  // namespace colltree::c45
