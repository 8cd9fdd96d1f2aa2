// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a reduction as one rank sees them.
#pragma once

#include "algorithms/block_space.h"
#include "algorithms/transfer.h"

namespace colltree::algorithms {

// This rank's contribution; equal to the result with MPI_IN_PLACE.
inline const void* own_of(const CollectiveCall& call) {
  return call.send == MPI_IN_PLACE ? call.receive : call.send;
}
// Null where no result is wanted.
inline void* result_of(const CollectiveCall& call, int rank) {
  return call.collective != Collective::kReduce || rank == call.root ? call.receive : nullptr;
}

struct Reduction {
  const void* own = nullptr;  // own_of()
  void* result = nullptr;     // result_of()
  std::size_t count = 0;      // of all blocks together in reduce_scatter and reduce_scatter_block
  TypeLayout layout;
  MPI_Op op = MPI_OP_NULL;
  bool commutative = false;
  int rank = 0;
  int size = 0;
  int root = 0;

  int open(const CollectiveCall& call, const Context& context);

  bool in_place() const { return result == own; }
  // inout = lower op inout, over `n` elements: MPI's order of operands.
  int fold(const void* lower, void* inout, std::size_t n) const;
};

// The same where this is a sum of common numbers; false: it is not.
bool add_at_once(MPI_Op op, MPI_Datatype type, const void* lower, void* inout, std::size_t n);

// Whole elements of the Context's segments; 0: not segmented.
std::size_t elements_per_segment(const Context& context, const TypeLayout& layout);

// A reduce_scatter or reduce_scatter_block: the reduction and its blocks, in elements, one for each
// rank.
struct Scattering {
  Reduction r;
  Offsets blocks;

  int open(const CollectiveCall& call, const Context& context) {
    COLLTREE_TRY(r.open(call, context));
    if (call.receive_counts != nullptr) return blocks.set_counts(r.size, call.receive_counts, 1);
    return blocks.set_equal(r.size, static_cast<std::size_t>(call.receive_count));
  }
  const void* own(int block) const { return r.layout.element(r.own, blocks.begin(block)); }
};

}  // namespace colltree::algorithms
