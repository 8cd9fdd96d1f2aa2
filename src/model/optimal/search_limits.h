// SPDX-License-Identifier: BSD-3-Clause
// What a search may spend. A search that stops says so; it never returns less than it claims.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "base/bounds.h"

namespace colltree::optimal {

inline constexpr std::size_t kMostLeaves = 4096;
inline constexpr WholeRange kLeavesRange{1, kMostLeaves};

struct SearchLimits {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  std::size_t memory_bytes = std::size_t{4} << 30;

  bool expired() const { return deadline && Clock::now() >= *deadline; }
};

}  // namespace colltree::optimal
