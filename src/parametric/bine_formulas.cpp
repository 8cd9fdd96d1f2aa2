// SPDX-License-Identifier: BSD-3-Clause
// Costs of Bine trees and butterflies: they differ from binomial ones, and from halving and
// doubling among a power of two of ranks, in who speaks with whom.
#include "parametric/cost_call.h"
#include "parametric/tree_cost.h"

namespace colltree::formula_rows {

namespace {

double scattered_by_bine(const CostCall& call, double all) {
  return halving(PowerSteps(call.ranks), all,
                 [&](double b) { return call.message(b) + call.fold(b); });
}

double gathered_by_bine(const CostCall& call, double all) {
  return halving(PowerSteps(call.ranks), all, [&](double b) { return call.message(b); });
}

double bytes_of_all(const CostCall& call) { return call.bytes * static_cast<double>(call.ranks); }

}  // namespace

double bcast_bine_us(const CostCall& call) {
  return relay_us(call, binomial_cost_tree(), call.bytes, 1);
}
double reduce_bine_us(const CostCall& call) {
  return reduce_up_us(call, binomial_cost_tree(), call.bytes);
}

double gather_bine_us(const CostCall& call) { return gather_binomial_us(call); }
double scatter_bine_us(const CostCall& call) { return scatter_binomial_us(call); }

double allgather_bine_us(const CostCall& call) {
  return gathered_by_bine(call, bytes_of_all(call));
}
double allgatherv_bine_us(const CostCall& call) {
  return gathered_by_bine(call, bytes_of_all(call));
}

double reduce_scatter_bine_us(const CostCall& call) { return scattered_by_bine(call, call.bytes); }
double reduce_scatter_block_bine_us(const CostCall& call) {
  return scattered_by_bine(call, bytes_of_all(call));
}
double allreduce_bine_us(const CostCall& call) {
  return scattered_by_bine(call, call.bytes) + gathered_by_bine(call, call.bytes);
}

}  // namespace colltree::formula_rows
