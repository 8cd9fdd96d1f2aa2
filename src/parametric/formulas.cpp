// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/formulas.h"

#include <iterator>
#include <vector>

#include "coll/catalogue.h"
#include "parametric/cost_call.h"
#include "timings/timings.h"

namespace colltree {

namespace {

using formula_rows::Formula;

// In the order of portable_algorithms().
constexpr Formula* kFormulas[] = {
#define COLLTREE_ALGORITHM(collective, algorithm, ...) formula_rows::collective##_##algorithm##_us,
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
};

Formula& formula_of(const AlgorithmInfo& info) {
  return *kFormulas[&info - portable_algorithms().data()];
}

// Algorithms of libraries that have another name than ours and the same schedule.
struct Twin {
  Collective collective;
  std::string_view theirs;
  const char* ours;
};
constexpr Twin kTwins[] = {{Collective::kBcast, "basic_linear", "linear"}};  // Open MPI

}  // namespace

std::optional<Method> method_of_formula(Collective collective, const Method& method) {
  Method ours = method;
  for (const Twin& twin : kTwins) {
    if (twin.collective == collective && twin.theirs == method.algorithm)
      ours.algorithm = twin.ours;
  }
  const AlgorithmInfo* info = find_portable_algorithm(collective, ours.algorithm);
  if (info == nullptr || !takes(*info, ours.parameters)) return std::nullopt;
  return ours;
}

std::optional<double> expected_us(const Network& network, const Method& method,
                                  const Instance& instance) {
  const auto ours = method_of_formula(instance.collective, method);
  if (!ours) return std::nullopt;
  if (instance.communicator_size < 2) return 0;
  const Method runs = effective_method(*ours, instance);
  const AlgorithmInfo* info = find_portable_algorithm(instance.collective, runs.algorithm);
  return formula_of(*info)(
      {.network = network,
       .ranks = instance.communicator_size,
       .bytes = static_cast<double>(instance.message_size),
       .segment_bytes = static_cast<double>(runs.segment_size.value_or(0)),
       .radix = runs.parameters.radix == 0 ? info->radix : runs.parameters.radix,
       .requests = runs.parameters.requests,
       .nodes = instance.nodes,
       .ranks_per_node = instance.ranks_per_node,
       .leaders = runs.parameters.fanout});
}

Method least_expected(const Network& network, std::span<const Method> methods,
                      const Instance& instance) {
  std::vector<double> times;
  for (const Method& method : methods)
    times.push_back(expected_us(network, method, instance).value_or(kNoTime));
  return methods[best_method(times).value_or(0)];
}

}  // namespace colltree
