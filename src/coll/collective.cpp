// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collective.h"

#include <algorithm>

namespace colltree {

namespace {

constexpr CollectiveInfo kCollectives[] = {
    {Collective::kAllgather, "allgather", MessageUnit::kBlock},
    {Collective::kAllgatherv, "allgatherv", MessageUnit::kBlock},
    {Collective::kAllreduce, "allreduce", MessageUnit::kMessage},
    {Collective::kAlltoall, "alltoall", MessageUnit::kBlock},
    {Collective::kAlltoallv, "alltoallv", MessageUnit::kBlock},
    {Collective::kBarrier, "barrier", MessageUnit::kNone},
    {Collective::kBcast, "bcast", MessageUnit::kMessage},
    {Collective::kExscan, "exscan", MessageUnit::kMessage},
    {Collective::kGather, "gather", MessageUnit::kBlock},
    {Collective::kGatherv, "gatherv", MessageUnit::kBlock},
    {Collective::kReduce, "reduce", MessageUnit::kMessage},
    {Collective::kReduceScatter, "reduce_scatter", MessageUnit::kTotal},
    {Collective::kReduceScatterBlock, "reduce_scatter_block", MessageUnit::kBlock},
    {Collective::kScan, "scan", MessageUnit::kMessage},
    {Collective::kScatter, "scatter", MessageUnit::kBlock},
    {Collective::kScatterv, "scatterv", MessageUnit::kBlock},
};

}  // namespace

std::span<const CollectiveInfo> all_collectives() { return kCollectives; }

std::string_view name(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)].name;
}

MessageUnit message_unit(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)].unit;
}

std::optional<Collective> find_collective(std::string_view name) {
  const auto* found = std::ranges::find(kCollectives, name, &CollectiveInfo::name);
  if (found == std::end(kCollectives)) return std::nullopt;
  return found->collective;
}

}  // namespace colltree
