// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

// "0.1%" or "0.1" -> 0.001. Throws UsageError.
inline double parse_percent(std::string_view text) {
  const std::string_view number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  const auto percent = parse_number<double>(trim(number));
  if (percent && *percent >= 0 && *percent <= 1e6) return *percent / 100;
  throw UsageError(fmt::format("expected a percentage such as 0.1%, got '{}'", text));
}

}  // namespace colltree
