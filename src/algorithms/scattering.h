// SPDX-License-Identifier: BSD-3-Clause
// A reduce_scatter or reduce_scatter_block: the reduction and its blocks, in elements, one for each
// rank.
#pragma once

#include "algorithms/offsets.h"
#include "algorithms/reduction.h"

namespace colltree {

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

}  // namespace colltree
