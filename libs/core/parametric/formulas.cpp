// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/formulas.h"

#include "coll/catalogue.h"
#include "parametric/cost_call.h"

namespace colltree::parametric {

namespace {

using formulas::Formula;

// In the order of portable_algorithms().
constexpr Formula* kFormulas[] = {
#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  formulas::cost,
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
};

// Null: none.
Formula* formula_of(const AlgorithmInfo& info) {
  Formula* formula = kFormulas[&info - portable_algorithms().data()];
  return formula == formulas::no_formula ? nullptr : formula;
}

}  // namespace

double formulas::no_formula(const CostCall&) { return 0; }

std::optional<Method> method_of_formula(Collective collective, const Method& method) {
  Method ours = method;
  // Open MPI's has another name than ours and the same schedule.
  if (collective == Collective::kBcast && method.algorithm == "basic_linear")
    ours.algorithm = "linear";
  const AlgorithmInfo* info = find_portable_algorithm(collective, ours.algorithm);
  if (info == nullptr || formula_of(*info) == nullptr || !takes(*info, ours.parameters))
    return std::nullopt;
  return ours;
}

std::optional<double> expected_us(const Network& network, const Method& method,
                                  const Instance& instance) {
  const auto ours = method_of_formula(instance.collective, method);
  if (!ours) return std::nullopt;
  if (instance.communicator_size < 2) return 0;
  const Method runs = effective_method(*ours, instance);
  const AlgorithmInfo* info = find_portable_algorithm(instance.collective, runs.algorithm);
  Formula* formula = formula_of(*info);
  if (formula == nullptr) return std::nullopt;
  const bool in_blocks = instance.collective == Collective::kReduceScatterBlock;
  const auto ranks = static_cast<double>(instance.communicator_size);
  return formula({.network = network,
                  .ranks = instance.communicator_size,
                  .bytes = static_cast<double>(instance.message_size) * (in_blocks ? ranks : 1),
                  .segment_bytes = static_cast<double>(runs.segment_size.value_or(0)),
                  .radix = std::max<std::uint64_t>(
                      runs.parameters.radix == 0 ? info->radix : runs.parameters.radix, 2),
                  .requests = runs.parameters.requests,
                  .nodes = instance.nodes,
                  .ranks_per_node = instance.ranks_per_node,
                  .leaders = runs.parameters.fanout});
}

}  // namespace colltree::parametric
