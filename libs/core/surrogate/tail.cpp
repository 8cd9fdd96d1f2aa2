// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.h"
#include "surrogate/constants.h"

namespace colltree::surrogate {

double expected_excess(double difference, double deviation) {
  if (deviation < 1e-9) return std::max(0.0, difference);
  const double z = difference / deviation;
  if (z < kNegligible) return 0;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return deviation * (z * below + density);
}

namespace {

using Widths = std::vector<ErrorTail::Width>;

// A t value is normal with standard deviation sqrt(freedom / chi-squared). This takes its mean
// between these quantiles, by summing the density of chi-squared over a fine grid.
Widths widths_of_t(double freedom) {
  constexpr double kUpTo[] = {0.25, 0.5, 0.75, 0.9, 0.97, 0.995, 1};
  constexpr int kSteps = 4000;
  std::vector<std::pair<double, double>> mass;  // deviation, probability; narrowest first
  double total = 0;
  for (int i = kSteps; i >= 0; --i) {
    const double log_x = std::log(freedom) - 12 + 16.0 * i / kSteps;
    const double x = std::exp(log_x);
    const double density = std::exp(freedom / 2 * log_x - x / 2);  // per unit of log x
    mass.emplace_back(std::sqrt(freedom / x), density);
    total += density;
  }
  Widths widths;
  double seen = 0;
  double weight = 0;
  double sum = 0;
  for (const auto& [deviation, probability] : mass) {
    seen += probability / total;
    weight += probability / total;
    sum += deviation * probability / total;
    if (seen < kUpTo[widths.size()] - 1e-12 || widths.size() + 1 == std::size(kUpTo)) continue;
    widths.push_back({weight, sum / weight});
    weight = sum = 0;
  }
  widths.push_back({weight, sum / weight});
  return widths;
}

double log_density(const Widths& widths, double z) {
  double density = 0;
  for (const auto& width : widths)
    density += width.weight * std::exp(-0.5 * z * z / (width.factor * width.factor)) / width.factor;
  return std::log(density + 1e-30);
}

// Returns the widths for each of kFreedoms, in its order.
const std::vector<Widths>& shapes() {
  static const std::vector<Widths> by_freedom = mapped(kFreedoms, widths_of_t);
  return by_freedom;
}

}  // namespace

ErrorTail::ErrorTail() : widths_(shapes()[kFirstFreedom]) {}

ErrorTail ErrorTail::fitted(std::span<const double> surprises) {
  double best = -std::numeric_limits<double>::infinity();
  Widths fitted;
  for (const Widths& shape : shapes()) {
    for (int step = -15; step <= 15; ++step) {
      const double log_scale = 0.1 * step;
      const double scale = std::exp(log_scale);
      double likelihood = -0.5 * std::pow(log_scale / kTailScaleSpread, 2);
      for (const double z : surprises) likelihood += log_density(shape, z / scale) - log_scale;
      if (likelihood <= best) continue;
      best = likelihood;
      fitted = shape;
      for (Width& width : fitted) width.factor *= scale;
    }
  }
  return ErrorTail(std::move(fitted));
}

double ErrorTail::expected_excess(double difference, double deviation) const {
  double sum = 0;
  double weights = 0;
  for (const Width& width : widths_) {
    sum +=
        width.weight * colltree::surrogate::expected_excess(difference, deviation * width.factor);
    weights += width.weight;
  }
  return sum / weights;
}

double ErrorTail::deviations_of_95() const {
  const auto share_within = [&](double deviations) {
    double within = 0;
    double weights = 0;
    for (const Width& width : widths_) {
      within += width.weight * std::erf(deviations / width.factor / std::numbers::sqrt2);
      weights += width.weight;
    }
    return within / weights;
  };
  double low = 0;
  double high = 1000;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (share_within(middle) < 0.95 ? low : high) = middle;
  }
  return high;
}

}  // namespace colltree::surrogate
