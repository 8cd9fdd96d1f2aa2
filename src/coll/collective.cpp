// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collective.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

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

Collective parse_collective(std::string_view name) {
  if (const auto found = find_collective(name)) return *found;
  std::vector<std::string> names;
  for (const CollectiveInfo& info : kCollectives) names.emplace_back(info.name);
  const std::string hint = did_you_mean(name, names);
  throw Error(hint.empty() ? fmt::format("unknown collective '{}'; known are {}", name,
                                         fmt::join(names, ", "))
                           : fmt::format("unknown collective '{}'{}", name, hint));
}

std::vector<Collective> parse_collectives(std::string_view names) {
  std::vector<Collective> collectives;
  for (const std::string_view part : split(names, ',')) {
    const Collective collective = parse_collective(trim(part));
    if (std::ranges::find(collectives, collective) == collectives.end())
      collectives.push_back(collective);
  }
  return collectives;
}

}  // namespace colltree
