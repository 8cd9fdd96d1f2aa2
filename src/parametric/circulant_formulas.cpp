// SPDX-License-Identifier: BSD-3-Clause
// Costs of what goes by circulant graphs: halving among any number of ranks, n blocks, sparbit.
#include "coll/circulant_pieces.h"
#include "parametric/cost_call.h"
#include "parametric/tree_cost.h"

namespace colltree::formula_rows {

namespace {

// The steps in which the blocks of all ranks are halved to one, or one becomes all.
template <typename StepTime>
double halved(const CostCall& call, double block, StepTime step_us) {
  double sum = 0;
  for (std::uint64_t left = call.ranks; left > 1; left = (left + 1) / 2)
    sum += step_us(static_cast<double>(left / 2) * block);
  return sum;
}

double scatter(const CostCall& call, double all) {
  return halved(call, all / static_cast<double>(call.ranks),
                [&](double b) { return call.message(b) + call.fold(b); });
}

double rounds(const CostCall& call, const Pieces& pieces) {
  return pieces.count - 1 + ceil_log2(call.ranks);
}

double sparbit(const CostCall& call) {
  double sum = 0;
  for (std::uint64_t distance = std::bit_ceil(call.ranks) / 2; distance > 0; distance /= 2) {
    const std::uint64_t blocks = (call.ranks - 1 + distance) / (2 * distance);
    sum += call.message(static_cast<double>(blocks) * call.bytes);
  }
  return sum;
}

}  // namespace

double allgather_sparbit_us(const CostCall& call) { return sparbit(call); }
double allgatherv_sparbit_us(const CostCall& call) { return sparbit(call); }

// As many pieces of a block as of the others; a rank's messages of all rounds are all blocks but
// its own.
double allgather_circulant_us(const CostCall& call) { return allgatherv_circulant_us(call); }
double allgatherv_circulant_us(const CostCall& call) {
  const auto segment = circulant_segment(static_cast<std::size_t>(call.bytes),
                                         static_cast<std::size_t>(call.segment_bytes),
                                         static_cast<std::size_t>(ceil_log2(call.ranks)));
  const double number = rounds(call, Pieces(call.bytes, static_cast<double>(segment)));
  return number * call.message(static_cast<double>(call.ranks - 1) * call.bytes / number);
}

double allreduce_circulant_us(const CostCall& call) {
  return scatter(call, call.bytes) + halved(call, call.bytes / static_cast<double>(call.ranks),
                                            [&](double b) { return call.message(b); });
}
double reduce_scatter_circulant_us(const CostCall& call) { return scatter(call, call.bytes); }
double reduce_scatter_block_circulant_us(const CostCall& call) {
  return scatter(call, call.bytes * static_cast<double>(call.ranks));
}

double bcast_circulant_us(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * call.message(pieces.length);
}
double reduce_circulant_us(const CostCall& call) {
  const Pieces pieces(call.bytes, call.segment_bytes);
  return rounds(call, pieces) * (call.message(pieces.length) + call.fold(pieces.length));
}

}  // namespace colltree::formula_rows
