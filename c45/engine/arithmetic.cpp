// SPDX-License-Identifier: BSD-3-Clause
#include "engine/arithmetic.h"

#include <iterator>

namespace colltree::c45 {

namespace {

double computed(float x) { return static_cast<double>(x) * log2_of(x); }

constexpr std::size_t kCounts = 4096;

const std::array<double, kCounts>& small_counts() {
  static const std::array<double, kCounts> kTable = [] {
    std::array<double, kCounts> values{};
    for (std::size_t x = 0; x < kCounts; ++x) values[x] = computed(static_cast<float>(x));
    return values;
  }();
  return kTable;
}

// Release 8 interpolates the normal quantile in this table: at 25 % it uses 0.6925, not 0.6745.
constexpr float kLevel[] = {0, 0.001F, 0.005F, 0.01F, 0.05F, 0.10F, 0.20F, 0.40F, 1.00F};
constexpr float kQuantile[] = {4.0F, 3.09F, 2.58F, 2.33F, 1.65F, 1.28F, 0.84F, 0.25F, 0.00F};

float squared_quantile(float confidence) {
  std::size_t i = 1;
  while (i + 1 < std::size(kLevel) && confidence > kLevel[i]) ++i;
  const float z = kQuantile[i - 1] + (kQuantile[i] - kQuantile[i - 1]) *
                                         (confidence - kLevel[i - 1]) / (kLevel[i] - kLevel[i - 1]);
  return z * z;
}

}  // namespace

double x_log2_x(float x) {
  if (x >= 0 && x < kCounts) {
    const auto count = static_cast<std::size_t>(x);
    if (static_cast<float>(count) == x) return small_counts()[count];
  }
  return computed(x);
}

Pessimistic::Pessimistic(float confidence)
    : log_confidence_(std::log(static_cast<double>(confidence))),
      q_(squared_quantile(confidence)) {}

float Pessimistic::no_error(float cases) const {
  const double n = cases;
  return static_cast<float>(n * (1 - std::exp(log_confidence_ / n)));
}

float Pessimistic::extra(float cases, float errors) const {
  if (errors < 1e-6) return no_error(cases);
  if (errors < 0.9999) {
    const float none = no_error(cases);
    return none + errors * (extra(cases, 1.0F) - none);
  }
  if (errors + 0.5 >= cases) return static_cast<float>(0.67 * (cases - errors));
  const double half_more = errors + 0.5;
  const auto rate = static_cast<float>(
      (half_more + q_ / 2 + std::sqrt(q_ * (half_more * (1 - half_more / cases) + q_ / 4))) /
      (cases + q_));
  return cases * rate - errors;
}

Random::Random() {
  // A Lehmer generator fills the state; ten rounds of feedback mix it.
  std::uint64_t value = 1;
  for (std::uint32_t& word : state_) {
    word = static_cast<std::uint32_t>(value);
    value = value * 16807 % 2147483647;
  }
  for (std::size_t i = 0; i < 10 * kDegree; ++i) next();
}

std::uint32_t Random::next() {
  // state_[position_] is the word of 31 steps ago.
  const std::uint32_t recent = state_[(position_ + kDegree - kSeparation) % kDegree];
  std::uint32_t& word = state_[position_];
  word += recent;
  position_ = (position_ + 1) % kDegree;
  return word >> 1;
}

}  // namespace colltree::c45
