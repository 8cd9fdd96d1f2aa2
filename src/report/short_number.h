// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the page: as many digits as a reader can use, because there are many of them.
#pragma once

#include "base/json.h"

namespace colltree {

// Rounded to so many significant digits; null for not a number and infinities.
Json short_number(double value, int digits);

// Of times (us) and of penalties (fractions).
inline constexpr int kTimeDigits = 6;
inline constexpr int kPenaltyDigits = 5;

}  // namespace colltree
