// SPDX-License-Identifier: BSD-3-Clause
#include "model/united_trees.h"

namespace colltree {

RuleTree united(std::span<const RuleTree> trees) {
  RuleTree all;
  for (const RuleTree& tree : trees) {
    const std::uint32_t first = append_nodes(all, tree);
    for (const RuleTree::Root& root : tree.roots) {
      all.roots.push_back({root.collective, first + root.node});
    }
  }
  validate(all);
  return all;
}

}  // namespace colltree
