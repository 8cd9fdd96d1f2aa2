// SPDX-License-Identifier: BSD-3-Clause
#include "report/short_number.h"

#include <charconv>
#include <cmath>

#include "base/json.h"

namespace colltree {

Json short_number(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  char text[64];
  const auto written =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  double rounded = 0;
  std::from_chars(text, written.ptr, rounded);
  // A whole number without ".0": there are tens of thousands of them.
  if (rounded == std::floor(rounded) && std::fabs(rounded) < 1e9) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

}  // namespace colltree
