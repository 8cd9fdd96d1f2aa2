// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/nodes.h"

#include <algorithm>
#include <new>

#include "algorithms/types.h"

namespace colltree {

namespace {

// The lowest rank on this rank's node.
int node_leader(MPI_Comm world, int rank, int* leader) {
  MPI_Comm node = MPI_COMM_NULL;
  COLLTREE_TRY(PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  *leader = rank;
  const int rc = PMPI_Bcast(leader, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  return rc;
}

}  // namespace

Nodes::~Nodes() {
  if (world_ != MPI_GROUP_NULL) PMPI_Group_free(&world_);
}

int Nodes::find(MPI_Comm world) noexcept {
  int rank = 0;
  int leader = 0;
  COLLTREE_TRY(PMPI_Comm_rank(world, &rank));
  COLLTREE_TRY(PMPI_Comm_size(world, &size_));
  COLLTREE_TRY(PMPI_Comm_group(world, &world_));
  COLLTREE_TRY(node_leader(world, rank, &leader));
  node_of_.reset(new (std::nothrow) int[static_cast<std::size_t>(size_)]);
  if (node_of_ == nullptr) return MPI_ERR_NO_MEM;
  return PMPI_Allgather(&leader, 1, MPI_INT, node_of_.get(), 1, MPI_INT, world);
}

bool Nodes::spread_of(MPI_Comm comm, int size, Spread* spread) const noexcept {
  const std::unique_ptr<int[]> ranks(new (std::nothrow) int[static_cast<std::size_t>(size)]);
  if (ranks == nullptr || !translate(comm, size, ranks.get())) return false;
  *spread = count(ranks.get(), size);
  return spread->nodes != 0;
}

bool Nodes::translate(MPI_Comm comm, int size, int* ranks) const {
  const std::unique_ptr<int[]> own(new (std::nothrow) int[static_cast<std::size_t>(size)]);
  if (own == nullptr) return false;
  for (int i = 0; i < size; ++i) own[i] = i;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return false;
  const int rc = PMPI_Group_translate_ranks(group, size, own.get(), world_, ranks);
  PMPI_Group_free(&group);
  return rc == MPI_SUCCESS && std::find(ranks, ranks + size, MPI_UNDEFINED) == ranks + size;
}

Spread Nodes::count(const int* ranks, int size) const {
  const std::unique_ptr<int[]> on_node(new (std::nothrow) int[static_cast<std::size_t>(size_)]());
  if (on_node == nullptr) return {};
  Spread spread;
  for (int i = 0; i < size; ++i) {
    const int there = ++on_node[node_of_[ranks[i]]];
    if (there == 1) ++spread.nodes;
    spread.ranks_per_node = std::max(spread.ranks_per_node, static_cast<std::uint64_t>(there));
  }
  return spread;
}

}  // namespace colltree
