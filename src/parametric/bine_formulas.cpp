// SPDX-License-Identifier: BSD-3-Clause
// Costs of Bine trees and butterflies: they differ from binomial ones, and from halving and
// doubling, in who speaks with whom.
#include "parametric/cost_call.h"
#include "parametric/tree_cost.h"

namespace colltree::formula_rows {

namespace {

// Ranks that are not members join one with so many bytes, and get others back.
double scattered_by_bine(const CostCall& call, double all, double returned) {
  const PowerSteps power(call.ranks);
  const auto step = [&](double b) { return call.message(b) + call.fold(b); };
  return (power.all ? 0 : step(all) + call.message(returned)) + halving(power, all, step);
}

double gathered_by_bine(const CostCall& call, double all) {
  return halving(PowerSteps(call.ranks), all, [&](double b) { return call.message(b); });
}

double bytes_of_all(const CostCall& call) { return call.bytes * static_cast<double>(call.ranks); }

}  // namespace

double bcast_bine_us(const CostCall& call) {
  return relay_us(call, binomial_cost_tree(), call.bytes);
}
double reduce_bine_us(const CostCall& call) {
  return reduce_up_us(call, binomial_cost_tree(), call.bytes);
}

double gather_bine_us(const CostCall& call) { return gather_binomial_us(call); }
double scatter_bine_us(const CostCall& call) { return scatter_binomial_us(call); }

double allgather_bine_us(const CostCall& call) {
  const double all = bytes_of_all(call);
  const double joined =
      PowerSteps(call.ranks).all ? 0 : call.message(call.bytes) + call.message(all);
  return joined + gathered_by_bine(call, all);
}
double allgatherv_bine_us(const CostCall& call) { return allgather_bine_us(call); }

double reduce_scatter_bine_us(const CostCall& call) {
  return scattered_by_bine(call, call.bytes, call.bytes / static_cast<double>(call.ranks));
}
double reduce_scatter_block_bine_us(const CostCall& call) {
  return scattered_by_bine(call, bytes_of_all(call), call.bytes);
}
double allreduce_bine_us(const CostCall& call) {
  return scattered_by_bine(call, call.bytes, call.bytes) + gathered_by_bine(call, call.bytes);
}

// Half of all blocks in each step.
double alltoall_bine_us(const CostCall& call) {
  return PowerSteps(call.ranks).steps * call.message(bytes_of_all(call) / 2);
}

}  // namespace colltree::formula_rows
