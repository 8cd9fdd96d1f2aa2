// SPDX-License-Identifier: BSD-3-Clause
// How fractions are printed in tables.
#pragma once

#include <optional>
#include <string>

#include "timings/penalty.h"

namespace colltree {

// Percent with the digits that matter: 0.04, 8.9, 14.3, 566.
std::string percent_text(double fraction);
// "8.1..10.2" in percent; "-" for none.
std::string interval_text(const std::optional<Interval>& interval);

}  // namespace colltree
