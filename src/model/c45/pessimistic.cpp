// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/pessimistic.h"

#include <cmath>
#include <cstddef>
#include <iterator>

namespace colltree::c45 {

namespace {

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

}  // namespace colltree::c45
