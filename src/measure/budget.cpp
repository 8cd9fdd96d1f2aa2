// SPDX-License-Identifier: BSD-3-Clause
#include "measure/budget.h"

#include <fmt/core.h>

#include "base/bounds.h"
#include "base/error.h"

namespace colltree {

namespace {

std::optional<double> amount(std::string_view text, std::string_view unit, const RealRange& range) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  return find_real(text, range);
}

}  // namespace

Budget parse_budget(std::string_view text) {
  struct TimeUnit {
    std::string_view name;
    double seconds;
  };
  constexpr TimeUnit kTimeUnits[] = {{"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr RealRange kTime{0, 1e7, true};
  constexpr RealRange kPercent{0, 100, true};
  constexpr RealRange kCells{1, 1e9};
  Budget budget;
  if (text.empty()) return budget;
  if (const auto cells = amount(text, "cells", kCells); cells) {
    budget.cells = static_cast<std::uint64_t>(*cells);
    return budget;
  }
  if (const auto percent = amount(text, "%", kPercent); percent) {
    budget.share = *percent / 100;
    return budget;
  }
  for (const TimeUnit& unit : kTimeUnits) {
    if (const auto time = amount(text, unit.name, kTime); time) {
      budget.seconds = *time * unit.seconds;
      return budget;
    }
  }
  throw UsageError(fmt::format(
      "--budget: expected a time (90s, 30m, 2h), a share of all cells' cost (5%) or a number of "
      "cells (2000cells), got '{}'",
      text));
}

std::optional<double> parse_until(std::string_view text) {
  constexpr RealRange kPercent{0, 100, true};
  if (text.empty()) return std::nullopt;
  const auto percent = amount(text, "%", kPercent);
  if (!percent) {
    throw UsageError(
        fmt::format("--until: expected the mean penalty that is small enough, such as 0.5%, got "
                    "'{}'",
                    text));
  }
  return *percent / 100;
}

}  // namespace colltree
