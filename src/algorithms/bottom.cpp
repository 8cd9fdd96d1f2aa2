// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/bottom.h"

#include "algorithms/types.h"

namespace colltree {

namespace {

// Elements that a rank contributes, and those that it gets.
struct Counts {
  std::size_t in = 0;
  std::size_t out = 0;
};

Counts counts_of(const CollectiveCall& call, const CallFacts& facts) {
  const auto count = static_cast<std::size_t>(call.receive_count);
  if (call.collective == Collective::kReduceScatterBlock)
    return {count * static_cast<std::size_t>(facts.size), count};
  if (call.receive_counts == nullptr) return {count, count};
  Counts counts;
  for (int i = 0; i < facts.size; ++i)
    counts.in += static_cast<std::size_t>(call.receive_counts[i]);
  counts.out = static_cast<std::size_t>(call.receive_counts[facts.rank]);
  return counts;
}

}  // namespace

int run_row(const Algorithm& row, const CollectiveCall& call, const CallFacts& facts,
            const Context& context) {
  const bool gets = call.collective != Collective::kReduce || facts.rank == call.root;
  const bool from = call.send == MPI_BOTTOM;
  const bool to = gets && call.receive == MPI_BOTTOM;
  if (call.op == MPI_OP_NULL || context.without_content || (!from && !to))
    return row.code(call, context);
  TypeLayout layout;
  COLLTREE_TRY(describe(call.receive_type, &layout));
  const Counts counts = counts_of(call, facts);
  CollectiveCall copied = call;
  Scratch sent;
  Scratch received;
  if (from) {
    COLLTREE_TRY(sent.allocate(layout, counts.in));
    COLLTREE_TRY(copy(MPI_BOTTOM, sent.data(), counts.in, layout, context));
    copied.send = sent.data();
  }
  if (to) {
    // What a row leaves as it is, and what MPI_IN_PLACE stands for, lies there before.
    const std::size_t before = call.send == MPI_IN_PLACE ? counts.in : counts.out;
    COLLTREE_TRY(received.allocate(layout, before));
    COLLTREE_TRY(copy(MPI_BOTTOM, received.data(), before, layout, context));
    copied.receive = received.data();
  }
  COLLTREE_TRY(row.code(copied, context));
  return to ? copy(received.data(), MPI_BOTTOM, counts.out, layout, context) : int{MPI_SUCCESS};
}

}  // namespace colltree
