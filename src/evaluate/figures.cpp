// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/figures.h"

#include <fmt/format.h>

namespace colltree {

std::string percent_text(double fraction) {
  const double value = 100 * fraction;
  if (value == 0) return "0";
  return fmt::format("{:.{}f}", value, value < 1 ? 2 : value < 100 ? 1 : 0);
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return percent_text(interval->low) + ".." + percent_text(interval->high);
}

}  // namespace colltree
