// SPDX-License-Identifier: BSD-3-Clause
// How fractions are printed in tables.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "timings/penalty.h"

namespace colltree {

// Percent with the digits that matter: 0.04, 8.9, 14.3, 566.
std::string percent_text(double fraction);
// ", 1180 of them by predicted times"; "" for none: behind a number of instances.
std::string of_them_predicted(std::size_t instances);
// "1180 of 2496 times were not measured but predicted (docs/campaign.md)"; "" where none was.
std::string prediction_note(std::span<const Timings> timings);
// "8.1..10.2" in percent; "-" for none.
std::string interval_text(const std::optional<Interval>& interval);

}  // namespace colltree
