// SPDX-License-Identifier: BSD-3-Clause
// Placement as an axis of a campaign: which ranks of one job make a communicator with so many ranks
// on each node (docs/campaign.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bounds.h"

namespace colltree {

// Of a job; of its fullest node where they differ.
struct JobLayout {
  std::uint64_t nodes = 1;
  std::uint64_t ranks_per_node = 1;
};

// What may be asked for.
inline constexpr WholeRange kRanksPerNode{1, 1U << 20U};

// The word `all` of --ranks-per-node: as many as the job's nodes have.
inline constexpr std::uint64_t kAllRanksOfNode = 0;

// How many nodes hold a communicator with so many ranks on each, the last one perhaps with fewer;
// 0 where that is not given.
inline std::uint64_t nodes_for(std::uint64_t communicator_size, std::uint64_t ranks_per_node) {
  return ranks_per_node == 0 ? 0 : (communicator_size + ranks_per_node - 1) / ranks_per_node;
}

// Of those asked for (kAllRanksOfNode is one) the ranks per node that the communicator can have in
// such a job, ascending; what is more than the communicator has ranks is all of them on one node.
std::vector<std::uint64_t> possible_ranks_per_node(std::span<const std::uint64_t> asked,
                                                   std::uint64_t communicator_size,
                                                   const JobLayout& layout);

// The ranks of the job that make the communicator, in its order: node by node. `node_of`: by rank
// of the job, any number that is the node's own. Nodes with too few ranks are passed over, but the
// first rank of the job, who reports, is always among them. None where the job has too few nodes of
// so many ranks.
std::optional<std::vector<int>> members_of(std::span<const int> node_of,
                                           std::uint64_t communicator_size,
                                           std::uint64_t ranks_per_node);

// Communicators of the job that can be measured at once, because no two share a node: the first is
// the one that is measured alone (members_of, or the job's first ranks where `ranks_per_node` is
// 0), the others have as many ranks on each of their nodes, in the same order. None where there is
// not even the first.
std::vector<std::vector<int>> disjoint_blocks(std::span<const int> node_of,
                                              std::uint64_t communicator_size,
                                              std::uint64_t ranks_per_node);

}  // namespace colltree
