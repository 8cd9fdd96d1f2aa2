// SPDX-License-Identifier: BSD-3-Clause
#include "report/tree_data.h"

#include <map>

#include "base/json.h"

namespace colltree {

Json tree_json(const RuleTree& tree, Collective collective, MethodIndex& index) {
  const std::uint32_t root = root_of(tree, collective);
  std::vector<std::uint32_t> reached = {root};
  std::map<std::uint32_t, std::size_t> number = {{root, 0}};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const RuleNode& node = tree.nodes[reached[next]];
    if (node.is_leaf()) continue;
    for (const std::uint32_t child : {node.low, node.high}) {
      if (number.emplace(child, reached.size()).second) reached.push_back(child);
    }
  }
  Json nodes = Json::array();
  for (const std::uint32_t at : reached) {
    const RuleNode& node = tree.nodes[at];
    if (node.is_leaf()) {
      nodes.push_back(Json::array({index(tree.methods[node.method])}));
    } else {
      nodes.push_back(
          {name(node.attribute), node.threshold, number.at(node.low), number.at(node.high)});
    }
  }
  return nodes;
}

}  // namespace colltree
