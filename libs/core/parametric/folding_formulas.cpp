// SPDX-License-Identifier: BSD-3-Clause
// Costs of reductions whose result does not stay on one rank: allreduce, reduce_scatter(_block),
// scan, exscan.
#include "parametric/cost_call.h"

namespace colltree::parametric::formulas {

namespace {

// The share of ranks that are not members: they join with all they have, and get the result back.
double join_and_return(const CostCall& call, double joined, double returned) {
  if (is_power(call)) return 0;
  return call.message_and_fold(joined) + call.message(returned);
}

// Around the ring, piece by piece. A segment is folded while the next one arrives; the next step
// waits for the sends of this one.
double reduce_around(const CostCall& call) {
  const Pieces pieces(call.piece(), call.segment_bytes);
  const double next = std::max(call.gap(pieces.length), call.fold(pieces.length));
  return call.others() * (call.message_and_fold(pieces.length) + (pieces.count - 1) * next);
}

// Up and down the tree of libs/mpi/algorithms/scan.cpp a rank at position x (from 1) waits for as
// many messages as the exponent of its highest bit and the number of its other bits: the most of
// any.
int messages_of_scan_tree(std::uint64_t ranks) {
  int most = 0;
  for (int bit = 0; (ranks >> bit) != 0; ++bit) {
    // The position below `ranks` + 1 with this bit cleared and all lower ones set; and `ranks`.
    const std::uint64_t mask = std::uint64_t{1} << bit;
    if ((ranks & mask) == 0) continue;
    const std::uint64_t position = (ranks ^ mask) | (mask - 1);
    for (const std::uint64_t x : {position, ranks}) {
      if (x > 0) most = std::max(most, static_cast<int>(std::bit_width(x)) + std::popcount(x) - 2);
    }
  }
  return most;
}

// The steps in which the blocks of all ranks are halved to one, or one block becomes as many.
template <typename StepTime>
double halved(const CostCall& call, double block, StepTime step_us) {
  double sum = 0;
  for (std::uint64_t left = call.ranks; left > 1; left = (left + 1) / 2)
    sum += step_us(static_cast<double>(left / 2) * block);
  return sum;
}

}  // namespace

double allreduce_reduce_bcast(const CostCall& call) {
  return reduce_up_us(call, kBinomialTree, call.bytes) + relay_us(call, kBinomialTree, call.bytes);
}

double allreduce_recursive_doubling(const CostCall& call) {
  return join_and_return(call, call.bytes, call.bytes) +
         power_steps(call) * call.message_and_fold(call.bytes);
}

double allreduce_recursive_multiplying(const CostCall& call) {
  const Factors factors = multiplying_steps(call);
  double sum = all_take_part(call, factors)
                   ? 0
                   : call.message_and_fold(call.bytes) + call.message(call.bytes);
  for (int i = 0; i < factors.steps(); ++i) {
    const auto others = static_cast<double>(factors.factor(i) - 1);
    sum += call.burst(others, call.bytes) + others * call.fold(call.bytes);
  }
  return sum;
}

double allreduce_rabenseifner(const CostCall& call) {
  return join_and_return(call, call.bytes, call.bytes) +
         halving(call, call.bytes, [&](double b) { return 2 * call.message(b) + call.fold(b); });
}

double allreduce_ring(const CostCall& call) {
  return reduce_around(call) + call.others() * call.message(call.piece());
}

// Reductions that leave a block on each rank; the call's bytes are those of all blocks.
double reduce_scatter_reduce_scatterv(const CostCall& call) {
  return reduce_up_us(call, kBinomialTree, call.bytes) + call.burst(call.others(), call.piece());
}

double reduce_scatter_recursive_halving(const CostCall& call) {
  return join_and_return(call, call.bytes, call.piece()) +
         halving(call, call.bytes, [&](double b) { return call.message_and_fold(b); });
}

// In each exchange a rank gets its part of what is left from all others.
double reduce_scatter_recursive_multiplying(const CostCall& call) {
  const Factors factors = multiplying_steps(call);
  const double block = call.piece();
  double sum =
      all_take_part(call, factors) ? 0 : call.message_and_fold(call.bytes) + call.message(block);
  double part = call.bytes;
  for (int i = factors.steps() - 1; i >= 0; --i) {
    part /= static_cast<double>(factors.factor(i));
    const auto others = static_cast<double>(factors.factor(i) - 1);
    sum += call.burst(others, part) + others * call.fold(part);
  }
  return sum;
}

// Runs like recursive halving; then every block goes to its owner.
double reduce_scatter_butterfly(const CostCall& call) {
  const double join = is_power(call) ? 0 : call.message_and_fold(call.bytes);
  return join + call.message(call.piece()) +
         halving(call, call.bytes, [&](double b) { return call.message_and_fold(b); });
}

// All ranks step together: what one receives was sent when its sender had folded the one before.
double reduce_scatter_pairwise(const CostCall& call) {
  return call.others() * call.message_and_fold(call.piece());
}

double reduce_scatter_ring(const CostCall& call) { return reduce_around(call); }

double reduce_scatter_circulant(const CostCall& call) {
  return halved(call, call.piece(), [&](double b) { return call.message_and_fold(b); });
}
double allreduce_circulant(const CostCall& call) {
  return reduce_scatter_circulant(call) +
         halved(call, call.piece(), [&](double b) { return call.message(b); });
}

double scan_linear(const CostCall& call) {
  return call.others() * call.message_and_fold(call.bytes);
}
// The second rank takes the first one's as it is; from there each folds before it sends on.
double exscan_linear(const CostCall& call) {
  return call.others() * call.message(call.bytes) + (call.others() - 1) * call.fold(call.bytes);
}

// Two folds a step, into the result and into what is exchanged next, which the last step spares.
double scan_recursive_doubling(const CostCall& call) {
  const int rounds = ceil_log2(call.ranks);
  return rounds * call.message_and_fold(call.bytes) + (rounds - 1) * call.fold(call.bytes);
}
// The first step leaves the result as it came.
double exscan_recursive_doubling(const CostCall& call) {
  return scan_recursive_doubling(call) - call.fold(call.bytes);
}

double scan_binomial(const CostCall& call) {
  return messages_of_scan_tree(call.ranks) * call.message_and_fold(call.bytes);
}

}  // namespace colltree::parametric::formulas
