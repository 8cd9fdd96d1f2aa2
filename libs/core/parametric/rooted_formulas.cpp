// SPDX-License-Identifier: BSD-3-Clause
// Costs of what has a root: bcast, reduce, gather, scatter; and of a half of the message along each
// of two binary trees, allreduce's too: what a rank sends and receives of both shares its link.
#include "parametric/cost_call.h"

namespace colltree::parametric::formulas {

namespace {

double others(const CostCall& call) { return static_cast<double>(call.ranks - 1); }
double piece(const CostCall& call) { return call.bytes / static_cast<double>(call.ranks); }
SubtreeBytes blocks_of(double block) {
  return [block](std::uint64_t ranks) { return static_cast<double>(ranks) * block; };
}

// The time to scatter a message: each rank ends with its piece of it.
double scattered(const CostCall& call) {
  return scatter_down_us(call, binomial_cost_tree(), blocks_of(piece(call)));
}

double rounds(const CostCall& call, const Pieces& pieces) {
  return pieces.count - 1 + ceil_log2(call.ranks);
}

// One segment along one tree over `ranks` ranks.
template <typename Along>
double first(const CostCall& call, std::uint64_t ranks, const Pieces& pieces, Along along_us) {
  if (ranks < 2) return 0;
  CostCall single_message = call;
  single_message.ranks = ranks;
  single_message.segment_bytes = 0;
  return along_us(single_message, pieces.length);
}

double down(const CostCall& call, std::uint64_t ranks, const Pieces& pieces) {
  const double next = call.gap(pieces.length);
  return 2 * (pieces.count - 1) * next +
         first(call, ranks, pieces, [](const CostCall& hop, double bytes) {
           return relay_us(hop, binary_cost_tree(), bytes);
         });
}

double up(const CostCall& call, std::uint64_t ranks, const Pieces& pieces) {
  const double next = std::max(call.gap(pieces.length), call.fold(pieces.length));
  return 2 * (pieces.count - 1) * next +
         first(call, ranks, pieces, [](const CostCall& hop, double bytes) {
           return reduce_up_us(hop, binary_cost_tree(), bytes);
         });
}

Pieces half(const CostCall& call) { return {call.bytes / 2, call.segment_bytes}; }

}  // namespace

double bcast_linear(const CostCall& call) { return call.burst(others(call), call.bytes); }

double bcast_binomial(const CostCall& call) {
  return relay_us(call, binomial_cost_tree(), call.bytes);
}

double bcast_binary(const CostCall& call) { return relay_us(call, binary_cost_tree(), call.bytes); }

double bcast_pipeline(const CostCall& call) {
  return relay_us(call, chain_cost_tree(), call.bytes);
}

double bcast_knomial(const CostCall& call) {
  return relay_us(call, knomial_cost_tree(call.radix), call.bytes);
}

// A half down each subtree of the binary tree, then the halves change hands.
double bcast_split_binary(const CostCall& call) {
  const double half = call.bytes / 2;
  return relay_us(call, binary_cost_tree(), half) + call.message(half);
}

double bcast_scatter_allgather(const CostCall& call) {
  return scattered(call) +
         halving(PowerSteps(call.ranks), call.bytes, [&](double b) { return call.message(b); });
}

double bcast_scatter_allgather_ring(const CostCall& call) {
  return scattered(call) + others(call) * call.message(piece(call));
}

// The root folds one while the next comes in.
double reduce_linear(const CostCall& call) {
  const double next = std::max(call.gap(call.bytes), call.fold(call.bytes));
  return call.message(call.bytes) + (others(call) - 1) * next + call.fold(call.bytes);
}

double reduce_binomial(const CostCall& call) {
  return reduce_up_us(call, binomial_cost_tree(), call.bytes);
}

double reduce_binary(const CostCall& call) {
  return reduce_up_us(call, binary_cost_tree(), call.bytes);
}

double reduce_pipeline(const CostCall& call) {
  return reduce_up_us(call, chain_cost_tree(), call.bytes);
}

double reduce_knomial(const CostCall& call) {
  return reduce_up_us(call, knomial_cost_tree(call.radix), call.bytes);
}

// To the highest rank, which hands all of it to the root, rank 0 where it is measured.
double reduce_in_order_binary(const CostCall& call) {
  return reduce_binary(call) + call.message(call.bytes);
}

double reduce_rabenseifner(const CostCall& call) {
  const PowerSteps power(call.ranks);
  const double join = power.complete ? 0 : call.message(call.bytes) + call.fold(call.bytes);
  return join +
         halving(power, call.bytes, [&](double b) { return 2 * call.message(b) + call.fold(b); });
}

double gather_binomial(const CostCall& call) {
  return gather_up_us(call, binomial_cost_tree(), blocks_of(call.bytes));
}

double gather_knomial(const CostCall& call) {
  return gather_up_us(call, knomial_cost_tree(call.radix), blocks_of(call.bytes));
}

// A question and the first bytes, rank after rank; the rest flows while the next is asked.
// Without first bytes all are asked at once.
double gather_linear_sync(const CostCall& call) {
  const double first = std::min(call.segment_bytes, call.bytes);
  const double rest = call.gap(call.bytes - first);
  if (first == 0) {
    return call.message(0) + call.message(call.bytes) + (others(call) - 1) * rest;
  }
  const double asked = call.message(0) + call.message(first);
  const double message_us = call.gap(call.bytes);  // both parts share the way
  return asked + (others(call) - 1) * std::max(asked, message_us) + rest;
}

double scatter_binomial(const CostCall& call) {
  return scatter_down_us(call, binomial_cost_tree(), blocks_of(call.bytes));
}

double scatter_knomial(const CostCall& call) {
  return scatter_down_us(call, knomial_cost_tree(call.radix), blocks_of(call.bytes));
}

// Sends the first bytes to every rank, and the rest to each that has said that it is there, as
// they do at the same time.
double scatter_linear_sync(const CostCall& call) {
  const double first = std::min(call.segment_bytes, call.bytes);
  const double rest = call.bytes - first;
  const double requests = call.burst(others(call), 0);
  if (first == 0) {
    return call.message(0) + call.message(rest) + (others(call) - 1) * call.gap(rest);
  }
  return std::max(others(call) * call.gap(first), requests) + call.burst(others(call), rest);
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

}  // namespace colltree::parametric::formulas
