// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/prediction.h"

#include <algorithm>
#include <cmath>

#include "coll/catalogue.h"
#include "parametric/formulas.h"
#include "timings/instance_grid.h"

namespace colltree::parametric {

namespace {

constexpr std::size_t kFewestOwnCells = 10;

}  // namespace

Predictor::Predictor(const Network& network, Timings timings)
    : network_(network), timings_(std::move(timings)) {
  for (const Instance& instance : timings_.instances) {
    ranks_.insert(instance.communicator_size);
    bytes_.insert(instance.message_size);
  }
  for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
    const Method& method = timings_.methods[m];
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
      const Instance& instance = timings_.instances[i];
      const double expected = expected_us(network_, method, instance).value_or(0);
      const double us = timings_.time_at(i, m).measured_us();
      if (!(us > 0) || !(expected > 0)) continue;
      const Ratio ratio{octaves(instance.communicator_size), octaves(instance.message_size),
                        std::log(us / expected), i};
      by_method_[method].push_back(ratio);
      by_algorithm_[method.algorithm].push_back(ratio);
    }
  }
}

std::vector<double> Predictor::nearest(const std::vector<Ratio>& ratios,
                                       const Instance& instance) const {
  const double ranks = octaves(instance.communicator_size);
  const double bytes = octaves(instance.message_size);
  std::vector<std::pair<double, double>> found;  // distance, logarithm of the ratio
  for (const Ratio& ratio : ratios) {
    const double distance = std::hypot(ratio.log2_ranks - ranks, ratio.log2_bytes - bytes);
    if (distance > 0) found.emplace_back(distance, ratio.log_ratio);
  }
  // Cells beside them at the same distance count as well or not by their ratio: the same for the
  // same data, whatever its order.
  const std::size_t count = std::min(found.size(), kNearestCells);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<double> logs;
  for (std::size_t i = 0; i < count; ++i) logs.push_back(found[i].second);
  return logs;
}

std::optional<Prediction> Predictor::predict(const Method& method, const Instance& instance) const {
  const auto formula = expected_us(network_, method, instance);
  if (!formula) return std::nullopt;
  const Method runs = effective_method(method, instance);
  Prediction result{.formula_us = *formula, .time_us = *formula};
  std::vector<double> logs;
  if (const auto known = by_method_.find(runs); known != by_method_.end())
    logs = nearest(known->second, instance);
  if (logs.size() < kFewestOwnCells) {
    if (const auto kin = by_algorithm_.find(runs.algorithm); kin != by_algorithm_.end())
      logs = nearest(kin->second, instance);
  }
  if (logs.empty()) return result;
  const auto [low, high] = std::ranges::minmax(logs);
  const double farther = octaves_beyond(instance) * (high - low) / 2;
  const std::size_t near = std::min(logs.size(), kMedianCells);
  result.time_us = *formula * std::exp(median(std::span(logs).first(near)));
  result.interval_us =
      Interval{*formula * std::exp(low - farther), *formula * std::exp(high + farther)};
  return result;
}

double Predictor::octaves_beyond(const Instance& instance) const {
  const auto outside = [](std::uint64_t value, const std::set<std::uint64_t>& sizes) {
    return std::max(
        {octaves(*sizes.begin()) - octaves(value), octaves(value) - octaves(*sizes.rbegin()), 0.0});
  };
  return timings_.instances.empty() ? 0
                                    : std::hypot(outside(instance.communicator_size, ranks_),
                                                 outside(instance.message_size, bytes_));
}

}  // namespace colltree::parametric
