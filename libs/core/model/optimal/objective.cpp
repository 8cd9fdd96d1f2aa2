// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/objective.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace colltree::optimal {

namespace {

template <typename Value>
std::vector<double> by_cell(const MeasuredGrid& grid, Value value) {
  const std::vector<double>& times = grid.time_us;
  std::vector<double> costs(times.size(), kNotAllowed);
  const std::size_t methods = grid.methods.size();
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const double best = least_time(std::span(times).subspan(cell * methods, methods));
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      const std::size_t index = grid.value_index(cell, m);
      if (!grid.exists[index]) continue;
      if (!grid.instance[cell]) costs[index] = 0;
      if (!std::isnan(times[index])) costs[index] = value(times[index], best);
    }
  }
  return costs;
}

}  // namespace

std::string name(const Objective& objective) {
  switch (objective.kind) {
    case Objective::Kind::kMean:
      return "mean";
    case Objective::Kind::kMax:
      return "max";
    case Objective::Kind::kTime:
      return "time";
    case Objective::Kind::kExpected:
      return "expected";
    case Objective::Kind::kQuantile:
      break;
  }
  return fmt::format("p{}", objective.percent);
}

Objective parse_objective(std::string_view text) {
  for (const Objective::Kind kind : {Objective::Kind::kMean, Objective::Kind::kMax,
                                     Objective::Kind::kTime, Objective::Kind::kExpected}) {
    if (name(Objective{kind}) == text) return {kind};
  }
  if (text.starts_with('p')) {
    const auto percent = parse_number<unsigned>(text.substr(1));
    if (percent && *percent >= 1 && *percent <= 99) return {Objective::Kind::kQuantile, *percent};
  }
  throw UsageError(
      fmt::format("unknown objective '{}'; known are mean, expected, max, time and p1 to p99 (a "
                  "quantile)",
                  text));
}

std::vector<double> penalties(const MeasuredGrid& grid) {
  return by_cell(grid,
                 [](double time_us, double best_us) { return (time_us - best_us) / best_us; });
}

std::vector<double> times_us(const MeasuredGrid& grid) {
  return by_cell(grid, [](double time_us, double) { return time_us; });
}

ScaledCosts scale_costs(std::size_t methods, std::vector<double> costs) {
  double most = 0;
  for (std::size_t cell = 0; cell < costs.size(); cell += methods) {
    double greatest = 0;
    for (std::size_t m = 0; m < methods; ++m) {
      if (costs[cell + m] != kNotAllowed) greatest = std::max(greatest, costs[cell + m]);
    }
    most += greatest;
  }
  int exponent = 0;
  std::frexp(most, &exponent);  // most < 2^exponent
  const int shift = 47 - exponent;
  for (double& cost : costs) {
    if (cost != kNotAllowed) cost = std::round(std::ldexp(cost, shift));
  }
  return {{.cells = costs.size() / methods, .methods = methods, .cost = std::move(costs)},
          std::ldexp(1.0, -shift)};
}

std::vector<double> weighted(const MeasuredGrid& grid, std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != kNotAllowed) values[i] *= grid.weight[i / grid.methods.size()];
  }
  return values;
}

}  // namespace colltree::optimal
