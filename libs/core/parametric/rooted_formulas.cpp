// SPDX-License-Identifier: BSD-3-Clause
// Costs of what has a root: bcast, reduce, gather, scatter; and of a half of the message along each
// of two binary trees, allreduce's too: what a rank sends and receives of both shares its link.
#include "parametric/cost_call.h"

namespace colltree::parametric::formulas {

namespace {

// The time to scatter a message: each rank ends with its piece of it.
double scattered(const CostCall& call) {
  return down_us(call, kBinomialTree, call.ranks, {.bytes_per_rank = call.piece()});
}

double rounds(const CostCall& call, const Pieces& pieces) {
  return pieces.count - 1 + ceil_log2(call.ranks);
}

// A half of the message along one of two trees over `ranks` ranks.
double down(const CostCall& call, std::uint64_t ranks, const Pieces& half) {
  return 2 * (half.count - 1) * call.gap(half.length) +
         down_us(call, kBinaryTree, ranks, {.bytes = half.length});
}
double up(const CostCall& call, std::uint64_t ranks, const Pieces& half) {
  const double next = std::max(call.gap(half.length), call.fold(half.length));
  return 2 * (half.count - 1) * next +
         up_us(call, kBinaryTree, ranks, {.bytes = half.length, .is_folded = true});
}

}  // namespace

double bcast_linear(const CostCall& call) { return call.burst(call.others(), call.bytes); }

double bcast_binary(const CostCall& call) { return relay_us(call, kBinaryTree, call.bytes); }

double bcast_pipeline(const CostCall& call) { return relay_us(call, kChain, call.bytes); }

double bcast_knomial(const CostCall& call) {
  return relay_us(call, {knomial_sizes, call.radix}, call.bytes);
}

// A half down each subtree of the binary tree, then the halves change hands.
double bcast_split_binary(const CostCall& call) {
  const double half = call.bytes / 2;
  return relay_us(call, kBinaryTree, half) + call.message(half);
}

double bcast_scatter_allgather(const CostCall& call) {
  return scattered(call) + halving(call, call.bytes, [&](double b) { return call.message(b); });
}

double bcast_scatter_allgather_ring(const CostCall& call) {
  return scattered(call) + call.others() * call.message(call.piece());
}

// The root folds one while the next comes in.
double reduce_linear(const CostCall& call) {
  const double next = std::max(call.gap(call.bytes), call.fold(call.bytes));
  return call.message(call.bytes) + (call.others() - 1) * next + call.fold(call.bytes);
}

double reduce_binary(const CostCall& call) { return reduce_up_us(call, kBinaryTree, call.bytes); }

double reduce_pipeline(const CostCall& call) { return reduce_up_us(call, kChain, call.bytes); }

double reduce_knomial(const CostCall& call) {
  return reduce_up_us(call, {knomial_sizes, call.radix}, call.bytes);
}

// To the highest rank, which hands all of it to the root, rank 0 where it is measured.
double reduce_in_order_binary(const CostCall& call) {
  return reduce_binary(call) + call.message(call.bytes);
}

double reduce_rabenseifner(const CostCall& call) {
  const double join = is_power(call) ? 0 : call.message(call.bytes) + call.fold(call.bytes);
  return join +
         halving(call, call.bytes, [&](double b) { return 2 * call.message(b) + call.fold(b); });
}

double gather_knomial(const CostCall& call) {
  return up_us(call, {knomial_sizes, call.radix}, call.ranks, {.bytes_per_rank = call.bytes});
}

// A question and the first bytes, rank after rank; the rest flows while the next is asked.
// Without first bytes all are asked at once.
double gather_linear_sync(const CostCall& call) {
  const double first = std::min(call.segment_bytes, call.bytes);
  const double rest = call.gap(call.bytes - first);
  if (first == 0) {
    return call.message(0) + call.message(call.bytes) + (call.others() - 1) * rest;
  }
  const double asked = call.message(0) + call.message(first);
  const double message_us = call.gap(call.bytes);  // both parts share the way
  return asked + (call.others() - 1) * std::max(asked, message_us) + rest;
}

double scatter_knomial(const CostCall& call) {
  return down_us(call, {knomial_sizes, call.radix}, call.ranks, {.bytes_per_rank = call.bytes});
}

// Sends the first bytes to every rank, and the rest to each that has said that it is there, as
// they do at the same time.
double scatter_linear_sync(const CostCall& call) {
  const double first = std::min(call.segment_bytes, call.bytes);
  const double rest = call.bytes - first;
  const double requests = call.burst(call.others(), 0);
  if (first == 0) {
    return call.message(0) + call.message(rest) + (call.others() - 1) * call.gap(rest);
  }
  return std::max(call.others() * call.gap(first), requests) + call.burst(call.others(), rest);
}

double bcast_circulant(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * call.message(pieces.length);
}
double reduce_circulant(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * (call.message(pieces.length) + call.fold(pieces.length));
}

// The call's root stands above both trees.
double bcast_dual_tree(const CostCall& call) {
  const Pieces half(call.bytes / 2, call.segment_bytes);
  return call.burst(2, half.length) + down(call, call.ranks - 1, half);
}
double reduce_dual_tree(const CostCall& call) {
  const Pieces half(call.bytes / 2, call.segment_bytes);
  return call.burst(2, half.length) + call.fold(half.length) + up(call, call.ranks - 1, half);
}
double allreduce_dual_tree(const CostCall& call) {
  const Pieces half(call.bytes / 2, call.segment_bytes);
  return up(call, call.ranks, half) + down(call, call.ranks, half);
}

}  // namespace colltree::parametric::formulas
