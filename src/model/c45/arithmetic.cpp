// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/arithmetic.h"

#include <array>

namespace colltree::c45 {

namespace {

double computed(float x) { return static_cast<double>(x) * log2_of(x); }

constexpr std::size_t kCounts = 4096;

const std::array<double, kCounts>& small_counts() {
  static const std::array<double, kCounts> table = [] {
    std::array<double, kCounts> values{};
    for (std::size_t x = 0; x < kCounts; ++x) values[x] = computed(static_cast<float>(x));
    return values;
  }();
  return table;
}

}  // namespace

double x_log2_x(float x) {
  if (x >= 0 && x < kCounts) {
    const auto count = static_cast<std::size_t>(x);
    if (static_cast<float>(count) == x) return small_counts()[count];
  }
  return computed(x);
}

}  // namespace colltree::c45
