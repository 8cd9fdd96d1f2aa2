// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace colltree::c45 {

struct GrowOptions {
  int weight = 2;          // -m: two branches must hold at least so many cases
  bool gain_only = false;  // -g: information gain instead of gain ratio
  bool group = false;      // -s: group the values of discrete attributes with more than two
  // Keep the defects of release 8 that are repaired otherwise (docs/c45.md lists them).
  bool strict_r8 = false;
};

// The confidence level as release 8 keeps it: percent as read in float32, divided in float32.
inline float confidence_fraction(float percent) { return percent / 100.0F; }

}  // namespace colltree::c45
