// SPDX-License-Identifier: BSD-3-Clause
// How much an adaptive campaign may measure, and when it knows enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace colltree {

struct Budget {
  std::optional<double> seconds;       // of the campaign, from its start
  std::optional<double> share;         // of the cost of all cells, a fraction
  std::optional<std::uint64_t> cells;  // all that the profile holds of the campaign counted
  std::optional<double> until;         // expected penalty of the best known, a fraction

  // Measure by choice; else every cell.
  bool adaptive() const { return seconds || share || cells || until; }
};

// "90s", "30m", "2h", "5%", "2000cells"; "" = none. Throws UsageError.
Budget parse_budget(std::string_view text);
// "0.5%"; "" = none. Throws UsageError.
std::optional<double> parse_until(std::string_view text);

}  // namespace colltree
