// SPDX-License-Identifier: BSD-3-Clause
// The rows themselves: apart from what makes lists and names of them, because the runtime library
// has no more than this.
#include <algorithm>
#include <bit>

#include "coll/catalogue.h"
#include "coll/collective.h"

namespace colltree {

namespace {

using enum Measured;
using enum SumTree;
constexpr std::uint64_t kPerRank = 0;

constexpr AlgorithmInfo kAlgorithms[] = {
#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  {collective_of::collective,                                                                     \
   #algorithm,                                                                                    \
   measured,                                                                                      \
   parameters,                                                                                    \
   radix,                                                                                         \
   pieces,                                                                                        \
   min_ranks,                                                                                     \
   min_bytes,                                                                                     \
   needs,                                                                                         \
   #fallback,                                                                                     \
   sums},
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
};

// The further needs of a row that a call meets.
std::uint32_t facts_of(const AlgorithmInfo& info, const Instance& instance,
                       std::uint64_t segment_size) {
  std::uint32_t facts = size_facts(instance.communicator_size, 0) |
                        node_facts(instance.nodes, instance.ranks_per_node);
  if (instance.message_size >= instance.communicator_size) facts |= kBytesAtLeastRanks;
  if (segment_size != 0 && segment_size < piece_of(info, instance)) facts |= kSmallSegments;
  return facts;
}

}  // namespace

std::span<const AlgorithmInfo> portable_algorithms() { return kAlgorithms; }

const AlgorithmInfo* find_portable_algorithm(Collective collective, std::string_view algorithm) {
  const auto* found = std::ranges::find_if(kAlgorithms, [&](const AlgorithmInfo& info) {
    return info.collective == collective && info.algorithm == algorithm;
  });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

bool takes(const AlgorithmInfo& info, const MethodParameters& parameters) {
  const auto in = [](std::uint64_t value, std::uint64_t least, std::uint64_t most, bool taken) {
    return value == 0 || (taken && value >= least && value <= most);
  };
  return parameters.up_module == 0 && parameters.low_module == 0 &&
         in(parameters.fanout, 1, kMostFanout, (info.parameters & kFanout) != 0) &&
         in(parameters.radix, 2, kMostRadix, (info.parameters & kRadix) != 0) &&
         in(parameters.requests, 1, kMostRequests, (info.parameters & kRequests) != 0);
}

std::uint32_t size_facts(std::uint64_t communicator_size, std::uint64_t count) {
  std::uint32_t facts = 0;
  if (std::has_single_bit(communicator_size)) facts |= kPowerOfTwo;
  if (communicator_size % 2 == 0) facts |= kEvenRanks;
  if (communicator_size == 2) facts |= kTwoRanks;
  if (count >= communicator_size) facts |= kCountAtLeastRanks;
  if (count >= std::bit_floor(communicator_size)) facts |= kCountAtLeastPowerOfTwo;
  return facts;
}

std::uint32_t node_facts(std::uint64_t nodes, std::uint64_t ranks_per_node) {
  if (nodes == 1) return kOneNode | kDirectCopy;  // the ranks find out if the system allows it
  return nodes > 1 && ranks_per_node > 1 ? std::uint32_t{kHierarchy | kNodeMemory} : 0;
}

std::uint64_t piece_of(const AlgorithmInfo& info, const Instance& instance) {
  const std::uint64_t pieces = info.pieces == kPerRank
                                   ? std::max<std::uint64_t>(instance.communicator_size, 1)
                                   : info.pieces;
  return instance.message_size / pieces + (instance.message_size % pieces != 0 ? 1 : 0);
}

bool can_run(const AlgorithmInfo& info, const Instance& instance, std::uint64_t segment_size,
             bool commutative) {
  if (instance.communicator_size < info.min_communicator_size ||
      instance.message_size < info.min_message_size)
    return false;
  const std::uint32_t needs = commutative ? info.needs & ~std::uint32_t{kCommutative} : info.needs;
  return needs == 0 || (needs & ~facts_of(info, instance, segment_size)) == 0;
}

}  // namespace colltree
