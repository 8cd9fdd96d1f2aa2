// SPDX-License-Identifier: BSD-3-Clause
// Costs of what goes by circulant graphs: halving among any number of ranks, n blocks, sparbit.
#include "parametric/cost_call.h"
#include "parametric/tree_cost.h"

namespace colltree::formulas {

namespace {

// The steps in which the blocks of all ranks are halved to one, or one becomes all.
template <typename StepTime>
double halved(const CostCall& call, double block, StepTime step_us) {
  double sum = 0;
  for (std::uint64_t left = call.ranks; left > 1; left = (left + 1) / 2)
    sum += step_us(static_cast<double>(left / 2) * block);
  return sum;
}

double rounds(const CostCall& call, const Pieces& pieces) {
  return pieces.count - 1 + ceil_log2(call.ranks);
}

}  // namespace

// Bruck's rounds, the longest distance first.
double allgather_sparbit(const CostCall& call) {
  double sum = 0;
  for (std::uint64_t distance = std::bit_ceil(call.ranks) / 2; distance > 0; distance /= 2) {
    const std::uint64_t blocks = (call.ranks - 1 + distance) / (2 * distance);
    sum += call.message(static_cast<double>(blocks) * call.bytes);
  }
  return sum;
}

double reduce_scatter_circulant(const CostCall& call) {
  return halved(call, call.bytes / static_cast<double>(call.ranks),
                [&](double b) { return call.message(b) + call.fold(b); });
}
double allreduce_circulant(const CostCall& call) {
  return reduce_scatter_circulant(call) + halved(call, call.bytes / static_cast<double>(call.ranks),
                                                 [&](double b) { return call.message(b); });
}

double bcast_circulant(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * call.message(pieces.length);
}
double reduce_circulant(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * (call.message(pieces.length) + call.fold(pieces.length));
}

}  // namespace colltree::formulas
