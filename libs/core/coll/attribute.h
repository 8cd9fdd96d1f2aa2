// SPDX-License-Identifier: BSD-3-Clause
// The attributes that a decision may look at. The standard makes each of these equal on all ranks
// of a call.
#pragma once

#include <cstdint>
#include <string_view>

#include "coll/method.h"

namespace colltree {

enum class Attribute : std::uint8_t {
  kCommunicatorSize,
  kMessageSize,
  kNodes,
  kRanksPerNode,
  kCommunicatorSizeIsPowerOfTwo,  // value 0 or 1
  kMessageSizeIsEven,             // likewise
};

inline constexpr std::size_t kAttributes = 6;
// "communicator_size", ... as in files. Throws Error for an unknown name.
std::string_view name(Attribute attribute);
Attribute parse_attribute(std::string_view name);
std::uint64_t attribute_value(Attribute attribute, const Instance& instance);
// The greatest value: 1 for those that only say yes or no.
std::uint64_t greatest_value(Attribute attribute);

}  // namespace colltree
