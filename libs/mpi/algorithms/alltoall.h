// SPDX-License-Identifier: BSD-3-Clause
// The arguments of an alltoall or alltoallv call as one rank sees them.
#pragma once

#include "algorithms/transfer.h"

namespace colltree::algorithms {

// Blocks in one buffer: all of one count, or each of its own at its own place.
struct BlockList {
  const void* data = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  TypeLayout layout;

  int count_of(int peer) const { return counts == nullptr ? count : counts[peer]; }
  const void* block(int peer) const {
    const MPI_Aint first = displacements == nullptr
                               ? static_cast<MPI_Aint>(peer) * static_cast<MPI_Aint>(count)
                               : displacements[peer];
    return at(data, first * layout.extent);
  }
};

struct Blocks {
  BlockList send;  // with MPI_IN_PLACE a copy of `receive`
  BlockList receive;
  int rank = 0;
  int size = 0;

  int open(const CollectiveCall& call, const Context& context);

  // The size of each block; alltoall only.
  std::size_t bytes() const { return static_cast<std::size_t>(send.count) * send.layout.size; }
  const void* outgoing(int peer) const { return send.block(peer); }
  void* incoming(int peer) const { return const_cast<void*>(receive.block(peer)); }
  // The block that a rank sends to itself.
  int keep_own(const Context& context) const;

  int exchange(int to, int from, const Context& context) const;

 private:
  int copy_receive(const Context& context);

  Scratch copy_in_place_;
};

}  // namespace colltree::algorithms
