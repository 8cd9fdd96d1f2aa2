// SPDX-License-Identifier: BSD-3-Clause
// Least absolute deviations with non-negative unknowns: one wild time does not move the result.
#pragma once

#include <array>
#include <vector>

namespace colltree {

inline constexpr std::size_t kMostUnknowns = 3;

struct Deviation {
  std::array<double, kMostUnknowns> factors{};  // of the unknowns
  double value = 0;                             // what their sum should be
  double weight = 1;
};

// The unknowns, 0 or more, with the least sum of weight |value - factors . unknowns|. Among equal
// sums the one with fewer and earlier unknowns above 0; an unknown whose factors are all 0 is 0.
// By weights that are adjusted in turn (Schlossmacher, 1973), for each set of unknowns above 0.
// Deterministic. Cost: 7 sets x 50 x rows.
std::array<double, kMostUnknowns> least_deviations(const std::vector<Deviation>& rows);

}  // namespace colltree
