// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/tally.h"

#include <cmath>
#include <numeric>
#include <tuple>

namespace colltree {

std::uint16_t Tally::majority() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < weight_.size(); ++i) {
    if (std::tie(weight_[i], points_[i]) > std::tie(weight_[best], points_[best])) best = i;
  }
  return static_cast<std::uint16_t>(best);
}

bool Tally::agrees(double accuracy_threshold) const {
  double others = 0;
  const std::uint16_t best = majority();
  for (std::size_t i = 0; i < weight_.size(); ++i) others += i == best ? 0 : weight_[i];
  // Not `weight >= threshold * total`: at a threshold of 1 only the exact zero may pass.
  constexpr double kRounding = 1e-12;
  const double total = others + weight_[best];
  return others <= (1 - accuracy_threshold + (accuracy_threshold < 1 ? kRounding : 0)) * total;
}

double Tally::disorder() const {
  const double total = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  double sum = 0;
  for (const double weight : weight_) {
    if (weight > 0) sum -= weight * std::log(weight / total);
  }
  return sum;
}

}  // namespace colltree
