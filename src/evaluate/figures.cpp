// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/figures.h"

#include <fmt/core.h>

namespace colltree {

std::string percent_text(double fraction) {
  const double value = 100 * fraction;
  if (value == 0) return "0";
  return fmt::format("{:.{}f}", value, value < 1 ? 2 : value < 100 ? 1 : 0);
}

std::string of_them_predicted(std::size_t instances) {
  return instances == 0 ? "" : fmt::format(", {} of them by predicted times", instances);
}

std::string prediction_note(std::span<const Timings> timings) {
  TimeCounts sum;
  for (const Timings& one : timings) {
    const TimeCounts counts = counts_of(one);
    sum.measured += counts.measured;
    sum.predicted += counts.predicted;
  }
  if (sum.predicted == 0) return "";
  return fmt::format("{} of {} times were not measured but predicted (docs/campaign.md)",
                     sum.predicted, sum.measured + sum.predicted);
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return percent_text(interval->low) + ".." + percent_text(interval->high);
}

}  // namespace colltree
