// SPDX-License-Identifier: BSD-3-Clause
#include "measure/placement.h"

#include <algorithm>
#include <map>
#include <set>

namespace colltree {

std::vector<std::uint64_t> possible_ranks_per_node(std::span<const std::uint64_t> asked,
                                                   std::uint64_t communicator_size,
                                                   const JobLayout& layout) {
  std::set<std::uint64_t> possible;
  for (const std::uint64_t one : asked) {
    const std::uint64_t wanted = one == kAllRanksOfNode ? layout.ranks_per_node : one;
    const std::uint64_t ranks = std::min(wanted, communicator_size);
    if (ranks <= layout.ranks_per_node && nodes_for(communicator_size, ranks) <= layout.nodes)
      possible.insert(ranks);
  }
  return {possible.begin(), possible.end()};
}

std::optional<std::vector<int>> members_of(std::span<const int> node_of,
                                           std::uint64_t communicator_size,
                                           std::uint64_t ranks_per_node) {
  std::vector<std::vector<int>> nodes;  // in the order of their first ranks
  std::map<int, std::size_t> number;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto at = number.emplace(node_of[rank], nodes.size()).first->second;
    if (at == nodes.size()) nodes.emplace_back();
    nodes[at].push_back(static_cast<int>(rank));
  }
  std::vector<int> members;
  for (const std::vector<int>& node : nodes) {
    const std::uint64_t wanted = std::min(ranks_per_node, communicator_size - members.size());
    if (node.size() < wanted) {
      if (members.empty()) return std::nullopt;
      continue;
    }
    members.insert(members.end(), node.begin(), node.begin() + static_cast<std::ptrdiff_t>(wanted));
    if (members.size() == communicator_size) return members;
  }
  return std::nullopt;
}

}  // namespace colltree
