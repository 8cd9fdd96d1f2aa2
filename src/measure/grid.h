// SPDX-License-Identifier: BSD-3-Clause
// Which instances a campaign measures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"

namespace colltree {

struct Grid {
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;  // bytes, see MessageUnit
};

// A barrier has no message: its one size is 0.
std::vector<std::uint64_t> message_sizes_of(Collective collective, const Grid& grid);
// Every instance, those of one communicator size together.
std::vector<Instance> instances_of(const std::vector<Collective>& collectives, const Grid& grid);

// Throws UsageError with the nearest name.
Grid find_grid(std::string_view name);

}  // namespace colltree
