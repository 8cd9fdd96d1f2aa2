// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/method_settings.h"

#include "base/text.h"
#include "coll/catalogue.h"

namespace colltree::protocol {

namespace {

void add_all(std::string_view variables, std::uint64_t value, Settings& settings) {
  for (const std::string_view variable : split(variables, ' ')) {
    if (!variable.empty())
      settings.emplace_back(concat("MPIR_CVAR_", variable), static_cast<int>(value));
  }
}

Settings han_settings(const LibraryAlgorithm& algorithm, int number, const PlanCell& cell) {
  if (number == kFirstOfHan) return settings_below_han(cell.instance.collective);
  Settings settings = {{han_variable(cell.instance.collective), number - kFirstOfHan}};
  if ((algorithm.parameters & kSegmentSize) != 0)
    settings.emplace_back(concat("coll_han_", name(cell.instance.collective), "_segsize"),
                          static_cast<int>(cell.method.segment_size.value_or(0)));
  return settings;
}

// The control variables, after "MPIR_CVAR_", that a blocking algorithm's k= and chunk_size= are.
struct MpichParameters {
  Collective collective;
  std::string_view algorithm;
  std::string_view radix;
  std::string_view segment;
};
constexpr MpichParameters kMpichParameters[] = {
    {Collective::kAllgather, "k_brucks", "ALLGATHER_BRUCKS_KVAL", ""},
    {Collective::kAllgather, "recexch_doubling", "ALLGATHER_RECEXCH_KVAL", ""},
    {Collective::kAllgather, "recexch_halving", "ALLGATHER_RECEXCH_KVAL", ""},
    {Collective::kAllreduce, "tree", "ALLREDUCE_TREE_KVAL", "ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE"},
    {Collective::kAllreduce, "recexch", "ALLREDUCE_RECEXCH_KVAL", ""},
    {Collective::kAllreduce, "recursive_multiplying", "ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL", ""},
    {Collective::kAllreduce, "k_reduce_scatter_allgather", "ALLREDUCE_RECEXCH_KVAL", ""},
    {Collective::kAlltoall, "k_brucks", "ALLTOALL_BRUCKS_KVAL", ""},
    {Collective::kBarrier, "k_dissemination", "BARRIER_DISSEM_KVAL", ""},
    {Collective::kBarrier, "recexch", "BARRIER_RECEXCH_KVAL", ""},
    {Collective::kBcast, "pipelined_tree", "BCAST_TREE_KVAL", "BCAST_TREE_PIPELINE_CHUNK_SIZE"},
    {Collective::kBcast, "tree", "BCAST_TREE_KVAL", ""},
};

}  // namespace

std::string algorithm_variable(Library library, Collective collective) {
  if (library == Library::kOpenmpi) return concat("coll_tuned_", name(collective), "_algorithm");
  if (library == Library::kIntel) return concat("MPIR_CVAR_USE_", upper(name(collective)));
  return concat("MPIR_CVAR_", upper(name(collective)), "_INTRA_ALGORITHM");
}

std::string nonblocking_variable(Collective collective) {
  return concat("MPIR_CVAR_I", upper(name(collective)), "_INTRA_ALGORITHM");
}

std::uint32_t unmet_needs(std::uint32_t needs, const PlanCell& cell, std::uint64_t count) {
  const std::uint64_t ranks = cell.instance.communicator_size;
  std::uint32_t facts = kCommutative | kBuiltInOperation | kNotInPlace | size_facts(ranks, count);
  if (count % ranks == 0) facts |= kRegularBlocks;
  return needs & ~facts;
}

std::string unfit_radix(const LibraryAlgorithm& algorithm, const Method& method) {
  const bool one_way = algorithm.library == Library::kMpich && method.parameters.radix == 1;
  return one_way ? "needs a radix of 2" : "";
}

std::string unfit_radix(const NonblockingAlgorithm& algorithm, const Method& method) {
  const std::uint64_t radix = method.parameters.radix;
  return radix != 0 && radix < least_radix(algorithm) ? "needs a radix of 2" : "";
}

std::string han_variable(Collective collective) {
  return concat("coll_han_use_", name(collective), "_algorithm");
}

Settings settings_below_han(Collective collective) {
  constexpr int kTuned = 3;  // of HAN's components
  return {{concat("coll_han_", name(collective), "_dynamic_global_communicator_module"), kTuned}};
}

Settings openmpi_settings(const LibraryAlgorithm& algorithm, int number, const PlanCell& cell) {
  if (is_of_han(algorithm)) return han_settings(algorithm, number, cell);
  const std::string variable = algorithm_variable(Library::kOpenmpi, cell.instance.collective);
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
  for (const MpichParameters& row : kMpichParameters) {
    if (row.collective != cell.instance.collective || row.algorithm != cell.method.algorithm)
      continue;
    if (cell.method.parameters.radix != 0)
      add_all(row.radix, cell.method.parameters.radix, settings);
    add_all(row.segment, cell.method.segment_size.value_or(0), settings);
  }
  const std::uint64_t requests = cell.method.parameters.requests;
  if (requests != 0) add_all("ALLTOALL_THROTTLE", requests, settings);
  settings.emplace_back(algorithm_variable(Library::kMpich, cell.instance.collective), number);
  return settings;
}

Settings mpich_settings(const NonblockingAlgorithm& algorithm, int number, int nb_number,
                        const PlanCell& cell) {
  const MethodParameters& given = cell.method.parameters;
  Settings settings = {{nonblocking_variable(cell.instance.collective), number}};
  add_all(algorithm.segment, cell.method.segment_size.value_or(0), settings);
  if (given.radix != 0) add_all(algorithm.radix, given.radix, settings);
  if (given.requests != 0) add_all(algorithm.requests, given.requests, settings);
  settings.emplace_back(algorithm_variable(Library::kMpich, cell.instance.collective), nb_number);
  return settings;
}

}  // namespace colltree::protocol
