// SPDX-License-Identifier: BSD-3-Clause
// Costs of a half of the message along each of two binary trees: what a rank sends and receives of
// both shares its link.
#include "parametric/cost_call.h"
#include "parametric/tree_cost.h"

namespace colltree::formulas {

namespace {

// One segment along one tree over so many ranks.
template <typename Along>
double first(const CostCall& call, std::uint64_t ranks, const Pieces& pieces, Along along_us) {
  if (ranks < 2) return 0;
  CostCall one = call;
  one.ranks = ranks;
  one.segment_bytes = 0;
  return along_us(one, pieces.length);
}

double down(const CostCall& call, std::uint64_t ranks, const Pieces& pieces) {
  const double next = call.gap(pieces.length);
  return 2 * (pieces.count - 1) * next +
         first(call, ranks, pieces, [](const CostCall& one, double bytes) {
           return relay_us(one, binary_cost_tree(), bytes);
         });
}

double up(const CostCall& call, std::uint64_t ranks, const Pieces& pieces) {
  const double next = std::max(call.gap(pieces.length), call.fold(pieces.length));
  return 2 * (pieces.count - 1) * next +
         first(call, ranks, pieces, [](const CostCall& one, double bytes) {
           return reduce_up_us(one, binary_cost_tree(), bytes);
         });
}

// Exchanges of the ranks from a leaf of a binary tree to its root, each with its children in turn.
int exchanges_to_root(std::uint64_t ranks) {
  int sum = 0;
  for (; ranks > 1; ranks = ranks / 2) sum += ranks > 2 ? 2 : 1;
  return sum;
}

Pieces half(const CostCall& call) { return {call.bytes / 2, call.segment_bytes}; }

}  // namespace

// The call's root stands above both trees.
double bcast_dual_tree(const CostCall& call) {
  const Pieces pieces = half(call);
  return call.burst(2, pieces.length) + down(call, call.ranks - 1, pieces);
}
double reduce_dual_tree(const CostCall& call) {
  const Pieces pieces = half(call);
  return call.burst(2, pieces.length) + call.fold(pieces.length) + up(call, call.ranks - 1, pieces);
}
double allreduce_dual_tree(const CostCall& call) {
  const Pieces pieces = half(call);
  return up(call, call.ranks, pieces) + down(call, call.ranks, pieces);
}

// The first segment goes up the larger half's tree, over to the other root and down; then a rank
// exchanges each with two children, which it folds, and with its parent.
double allreduce_dual_root(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  const double exchange = call.message(pieces.length);
  const double fold = call.fold(pieces.length);
  const int way = exchanges_to_root(call.ranks - call.ranks / 2);
  return way * (exchange + fold) + (exchange + fold) + way * exchange +
         (pieces.count - 1) * (3 * exchange + 2 * fold);
}

}  // namespace colltree::formulas
