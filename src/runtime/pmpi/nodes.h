// SPDX-License-Identifier: BSD-3-Clause
// On which node each rank of the job runs: found once, so that the placement of a communicator is
// known without a message.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

namespace colltree {

struct Spread {
  std::uint64_t nodes = 0;           // 0: not known
  std::uint64_t ranks_per_node = 0;  // of the fullest node
};

class Nodes {
 public:
  Nodes() = default;
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes();

  // Collective over `world`, whose ranks are those of MPI_COMM_WORLD. Returns an MPI error code.
  int find(MPI_Comm world) noexcept;

  // False when a member of `comm` (an intracommunicator) is not of this job's MPI_COMM_WORLD, or
  // there is no memory. Local.
  bool spread_of(MPI_Comm comm, int size, Spread* spread) const noexcept;

 private:
  bool translate(MPI_Comm comm, int size, int* ranks) const;
  Spread count(const int* ranks, int size) const;

  int size_ = 0;
  MPI_Group world_ = MPI_GROUP_NULL;
  std::unique_ptr<int[]> node_of_;  // by rank: the lowest rank on its node
};

}  // namespace colltree
