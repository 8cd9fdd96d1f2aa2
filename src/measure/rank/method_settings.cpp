// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/method_settings.h"

#include <fmt/format.h>

#include "base/text.h"
#include "coll/catalogue.h"

namespace colltree {

namespace {

void add_all(std::string_view variables, std::uint64_t value, Settings& settings) {
  for (const std::string_view variable : split(variables, ' ')) {
    if (!variable.empty())
      settings.emplace_back(fmt::format("MPIR_CVAR_{}", variable), static_cast<int>(value));
  }
}

}  // namespace

std::string algorithm_variable(Library library, Collective collective) {
  if (library == Library::kOpenmpi) return fmt::format("coll_tuned_{}_algorithm", name(collective));
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper(name(collective)));
}

std::string nonblocking_variable(Collective collective) {
  return fmt::format("MPIR_CVAR_I{}_INTRA_ALGORITHM", upper(name(collective)));
}

std::uint32_t unmet_needs(std::uint32_t needs, const PlanCell& cell, std::uint64_t count) {
  const std::uint64_t ranks = cell.communicator_size;
  std::uint32_t facts = kCommutative | kBuiltInOperation | kNotInPlace | size_facts(ranks, count);
  if (count % ranks == 0) facts |= kRegularBlocks;
  return needs & ~facts;
}

std::string unfit_radix(const NonblockingAlgorithm& one, const Method& method) {
  const std::uint64_t radix = method.parameters.radix;
  return radix != 0 && radix < least_radix(one) ? "needs a radix of 2" : "";
}

Settings openmpi_settings(const LibraryAlgorithm& algorithm, int number, const PlanCell& cell) {
  const std::string variable = algorithm_variable(Library::kOpenmpi, cell.collective);
  const MethodParameters& given = cell.method.parameters;
  Settings settings = {{variable, number}};
  const auto add = [&](const char* parameter, std::uint64_t value) {
    settings.emplace_back(variable + parameter, static_cast<int>(value));
  };
  if ((algorithm.parameters & kSegmentSize) != 0)
    add("_segmentsize", cell.method.segment_size.value_or(0));
  if (given.fanout != 0) add("_chain_fanout", given.fanout);
  if (given.radix != 0) add("_knomial_radix", given.radix);
  if (given.requests != 0) add("_max_requests", given.requests);
  return settings;
}

Settings mpich_settings(int number, const PlanCell& cell) {
  Settings settings;
  const std::uint64_t requests = cell.method.parameters.requests;
  if (requests != 0) add_all("ALLTOALL_THROTTLE", requests, settings);
  settings.emplace_back(algorithm_variable(Library::kMpich, cell.collective), number);
  return settings;
}

Settings mpich_settings(const NonblockingAlgorithm& one, int number, int nb_number,
                        const PlanCell& cell) {
  const MethodParameters& given = cell.method.parameters;
  Settings settings = {{nonblocking_variable(cell.collective), number}};
  add_all(one.segment, cell.method.segment_size.value_or(0), settings);
  if (given.radix != 0) add_all(one.radix, given.radix, settings);
  if (given.requests != 0) add_all(one.requests, given.requests, settings);
  settings.emplace_back(algorithm_variable(Library::kMpich, cell.collective), nb_number);
  return settings;
}

}  // namespace colltree
