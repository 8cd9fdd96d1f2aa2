// SPDX-License-Identifier: BSD-3-Clause
#include "coll/attribute.h"

#include <bit>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kAttributeNames[kAttributes] = {"communicator_size",
                                                           "message_size",
                                                           "nodes",
                                                           "ranks_per_node",
                                                           "communicator_size_is_power_of_two",
                                                           "message_size_is_even"};

}  // namespace

std::string_view name(Attribute attribute) {
  return kAttributeNames[static_cast<std::size_t>(attribute)];
}

Attribute parse_attribute(std::string_view name) {
  if (const auto index = index_of(kAttributeNames, name)) return static_cast<Attribute>(*index);
  const std::vector<std::string> known(std::begin(kAttributeNames), std::end(kAttributeNames));
  throw Error(concat("unknown attribute '", name, "'", did_you_mean(name, known)));
}

std::uint64_t attribute_value(Attribute attribute, const Instance& instance) {
  switch (attribute) {
    case Attribute::kCommunicatorSize:
      return instance.communicator_size;
    case Attribute::kMessageSize:
      return instance.message_size;
    case Attribute::kNodes:
      return instance.nodes;
    case Attribute::kRanksPerNode:
      return instance.ranks_per_node;
    case Attribute::kCommunicatorSizeIsPowerOfTwo:
      return std::has_single_bit(instance.communicator_size) ? 1 : 0;
    case Attribute::kMessageSizeIsEven:
      return instance.message_size % 2 == 0 ? 1 : 0;
  }
  throw Error("unknown attribute");
}

std::uint64_t greatest_value(Attribute attribute) {
  return attribute >= Attribute::kCommunicatorSizeIsPowerOfTwo ? 1 : UINT64_MAX;
}

}  // namespace colltree
