// SPDX-License-Identifier: BSD-3-Clause
// bcast, reduce and allreduce dual_tree: half of the message goes along each of two trees, in
// segments (trees.h names the paper). In allreduce the trees stand on all ranks: each half
// comes to its tree's root and goes back from there.
#include <algorithm>

#include "algorithms/bcast_tree.h"
#include "algorithms/reduce_tree.h"
#include "algorithms/reduction.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Alternates the steps of both trees; the second tree starts `lag` steps later.
template <typename Part, typename Step>
int in_turns(Part& first, Part& second, std::size_t lag, Step step) {
  COLLTREE_TRY(first.open());
  COLLTREE_TRY(second.open());
  for (std::size_t i = 0; i < std::max(first.steps(), second.steps() + lag); ++i) {
    if (i < first.steps()) COLLTREE_TRY(step(first, i));
    if (i >= lag && i - lag < second.steps()) COLLTREE_TRY(step(second, i - lag));
  }
  COLLTREE_TRY(first.close());
  return second.close();
}

Range half(std::size_t count, int which) {
  const std::size_t larger = (count + 1) / 2;
  return which == 0 ? Range{0, larger} : Range{larger, count - larger};
}

// Forwards before it waits as a leaf, and for a segment as many steps earlier as this takes to come
// down: else ranks near one tree's root would wait for what passes all levels of the other.
int pass_down(const TwoTrees& two, void* data, std::size_t count, std::size_t per_segment,
              const TypeLayout& layout, const Context& context) {
  Context overlapping = context;
  overlapping.requests = 2;
  const int inner = two.inner();
  const bool leaf = two.tree[1 - inner].child_count == 0;
  const std::size_t lag = leaf ? static_cast<std::size_t>(two.levels) : 0;
  const auto part = [&](int which, std::size_t ahead) -> Relay {
    const Range part_range = half(count, which);
    return {two.tree[which],
            layout.element(data, part_range.first),
            Segments(part_range.count, per_segment),
            layout,
            overlapping,
            ahead};
  };
  Relay forwarding = part(inner, 1);
  Relay waiting = part(1 - inner, lag + 2);
  int received = MPI_SUCCESS;
  COLLTREE_TRY(in_turns(forwarding, waiting, lag,
                        [&](Relay& relay, std::size_t i) { return relay.step(i, &received); }));
  return received;
}

// Sends as a leaf before it waits for others, who may wait for that, and likewise runs ahead.
int fold_up(const TwoTrees& two, const Reduction& r, const Context& context) {
  Reduction halves[2] = {r, r};
  for (int which : {0, 1}) {
    const Range part_range = half(r.count, which);
    halves[which].own = r.layout.element(r.own, part_range.first);
    halves[which].result = nullptr;
    if (two.tree[which].parent == kNoRank)
      halves[which].result = r.layout.element(r.result, part_range.first);
    halves[which].count = part_range.count;
  }
  const auto part = [&](int which, int in_flight) -> TreeFold {
    return {two.tree[which], halves[which], halves[which].result, context, in_flight};
  };
  const int inner = two.inner();
  const bool leaf = two.tree[1 - inner].child_count == 0;
  const int lag = leaf ? two.levels : 0;
  TreeFold ahead = part(1 - inner, lag + 1);
  TreeFold folding = part(inner, 1);
  return in_turns(ahead, folding, static_cast<std::size_t>(lag),
                  [](TreeFold& fold, std::size_t i) { return fold.step(i); });
}

}  // namespace

int bcast_dual_tree(const CollectiveCall& call, const Context& context) {
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == call.root, context));
  const int error =
      pass_down(TwoTrees::below(call.root, context.size, context.rank), message.data(),
                message.bytes(), context.segment_size, bytes_layout(), context);
  return first_error(error, message.close(context));
}

int reduce_dual_tree(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  return fold_up(TwoTrees::below(r.root, r.size, r.rank), r, context);
}

int allreduce_dual_tree(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const TwoTrees two = TwoTrees::over_all(r.size, r.rank);
  COLLTREE_TRY(fold_up(two, r, context));
  return pass_down(two, r.result, r.count, elements_per_segment(context, r.layout), r.layout,
                   context);
}

}  // namespace colltree::algorithms
