// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collective.h"

#include <algorithm>

namespace colltree {

namespace {

constexpr CollectiveInfo kCollectives[] = {
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, unit, \
                            SHAPE)                                                             \
  {Collective::k##Id, #name, MessageUnit::unit, CallShape::k##SHAPE},
#define COLLTREE_MEASURED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

}  // namespace

std::span<const CollectiveInfo> all_collectives() { return kCollectives; }

std::string_view name(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)].name;
}

std::vector<std::string> names_of(std::span<const Collective> collectives) {
  std::vector<std::string> names;
  for (const Collective collective : collectives) names.emplace_back(name(collective));
  return names;
}

MessageUnit message_unit(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)].unit;
}

CallShape call_shape(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)].shape;
}

std::optional<Collective> find_collective(std::string_view name) {
  const auto* found = std::ranges::find(kCollectives, name, &CollectiveInfo::name);
  if (found == std::end(kCollectives)) return std::nullopt;
  return found->collective;
}

}  // namespace colltree
