// SPDX-License-Identifier: BSD-3-Clause
// allreduce multi_leader: every rank leads its node for a part of the message, so that all of a
// node's ranks speak with other nodes at once (Bayatpour, Chakraborty, Subramoni, Lu, Panda,
// Scalable reduction collectives with data partitioning-based multi-leader design, 2017; Traff,
// Hunold, Decomposing collectives for exploiting multi-lane communication, 2020, on full-lane
// reductions).
#include "algorithms/power_group.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

namespace {

// Up to so many bytes of a part ranks exchange all of it in half as many steps.
constexpr std::size_t kShortPart = 16384;

// The parts of a message for the ranks of a node, as MPI counts them.
class Parts {
 public:
  int open(std::size_t count, int ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    counts_.reset(new (std::nothrow) int[2 * n]);
    if (counts_ == nullptr) return MPI_ERR_NO_MEM;
    const EqualParts parts(count, ranks);
    begins_ = counts_.get() + n;
    for (int i = 0; i < ranks; ++i) {
      counts_[i] = static_cast<int>(parts.range(i, i + 1).count);
      begins_[i] = static_cast<int>(parts.begin(i));
    }
    return MPI_SUCCESS;
  }
  const int* counts() const { return counts_.get(); }
  const int* begins() const { return begins_; }

 private:
  std::unique_ptr<int[]> counts_;
  int* begins_ = nullptr;
};

}  // namespace

namespace rows {

int allreduce_multi_leader(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const NodePlace place(*context.nodes, r.rank);
  Subgroup node;
  Subgroup lane;
  COLLTREE_TRY(place.open_node(node, context));
  COLLTREE_TRY(place.open_lane(lane, context));
  Parts parts;
  COLLTREE_TRY(parts.open(r.count, node.size()));
  const int count = parts.counts()[node.rank()];
  Scratch part;
  COLLTREE_TRY(part.allocate(r.layout, static_cast<std::size_t>(count)));
  COLLTREE_TRY(
      node.run(reduce_scatter_circulant,
               reduce_scatter_call(r.own, part.data(), parts.counts(), r.layout.type, r.op)));
  if (count > 0) {
    const bool is_short = static_cast<std::size_t>(count) * r.layout.size <= kShortPart;
    COLLTREE_TRY(lane.run(is_short ? allreduce_recursive_doubling : allreduce_circulant,
                          allreduce_call(MPI_IN_PLACE, part.data(), count, r.layout.type, r.op)));
  }
  return node.run(allgatherv_bruck, allgatherv_call(part.data(), count, r.layout.type, r.result,
                                                    parts.counts(), parts.begins(), r.layout.type));
}

}  // namespace rows

}  // namespace colltree
