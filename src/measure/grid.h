// SPDX-License-Identifier: BSD-3-Clause
// Which instances a campaign measures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

struct Grid {
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;  // bytes, see MessageUnit
};

struct NamedGrid {
  std::string_view name;
  std::string_view source;  // where the papers state it
  Grid (*make)();
};

std::span<const NamedGrid> named_grids();

// Throws UsageError with the nearest name.
Grid find_grid(std::string_view name);

}  // namespace colltree
