// SPDX-License-Identifier: BSD-3-Clause
#include "measure/placement.h"

#include <algorithm>
#include <map>
#include <numeric>
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

namespace {

// Where the ranks lie, whatever the nodes are called: 0, 0, 1, 1.
std::vector<std::size_t> shape_of(std::span<const int> members, std::span<const int> node_of) {
  std::map<int, std::size_t> number;
  std::vector<std::size_t> shape;
  for (const int rank : members)
    shape.push_back(
        number.emplace(node_of[static_cast<std::size_t>(rank)], number.size()).first->second);
  return shape;
}

// Of the job's ranks `left`.
std::optional<std::vector<int>> members_among(std::span<const int> left,
                                              std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node) {
  std::vector<int> members;
  if (ranks_per_node == 0) {
    if (left.size() < communicator_size) return std::nullopt;
    members.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(communicator_size));
    return members;
  }
  std::vector<int> nodes;
  for (const int rank : left) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
  const auto places = members_of(nodes, communicator_size, ranks_per_node);
  if (!places) return std::nullopt;
  for (const int place : *places) members.push_back(left[static_cast<std::size_t>(place)]);
  return members;
}

}  // namespace

std::vector<std::vector<int>> disjoint_blocks(std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node) {
  std::vector<int> left(node_of.size());
  std::iota(left.begin(), left.end(), 0);
  std::vector<std::vector<int>> blocks;
  while (!left.empty()) {
    const auto members = members_among(left, node_of, communicator_size, ranks_per_node);
    if (!members && blocks.empty()) break;
    if (members &&
        (blocks.empty() || shape_of(*members, node_of) == shape_of(blocks.front(), node_of)))
      blocks.push_back(*members);
    std::set<int> taken;  // and where the first of these nodes has too few ranks, it alone
    for (const int rank : members.value_or(std::vector{left.front()}))
      taken.insert(node_of[static_cast<std::size_t>(rank)]);
    std::erase_if(
        left, [&](int rank) { return taken.contains(node_of[static_cast<std::size_t>(rank)]); });
  }
  return blocks;
}

}  // namespace colltree
