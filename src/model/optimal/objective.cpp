// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/objective.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace colltree::optimal {

namespace {

template <typename Value>
std::vector<double> by_cell(const MeasuredGrid& grid, const std::vector<double>& times,
                            Value value) {
  std::vector<double> costs(times.size(), kNotAllowed);
  const std::size_t methods = grid.methods.size();
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const double best = least_time(std::span(times).subspan(cell * methods, methods));
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      const std::size_t at = grid.at(cell, m);
      if (!grid.exists[at]) continue;
      if (!grid.instance[cell]) costs[at] = 0;
      if (!std::isnan(times[at])) costs[at] = value(times[at], best);
    }
  }
  return costs;
}

const std::vector<double>& times_of(const MeasuredGrid& grid, bool tied) {
  return tied ? grid.tied_us : grid.time_us;
}

constexpr double kCannotRun = 2;      // times the slowest
constexpr std::size_t kSizeAxes = 2;  // communicator size, message size
// The cell nearest to a point on a line of equal steps is less than half a step away: the middles
// of that stretch's thirds.
constexpr double kOffset = 1.0 / 3;

struct Term {
  std::size_t cell = 0;
  double weight = 0;
};

// What a hole's times are made of: the weights add up to 1.
std::vector<Term> terms_of(const MeasuredGrid& grid, std::size_t hole) {
  std::vector<Term> between;
  std::vector<Term> beside;
  const auto is_measured = [&](std::size_t cell) { return grid.instance[cell].has_value(); };
  for (std::size_t axis = 0; axis < kSizeAxes; ++axis) {
    const auto low = next_along(grid, hole, axis, false, is_measured);
    const auto high = next_along(grid, hole, axis, true, is_measured);
    if (low && high) {
      const double share = low->octaves / (low->octaves + high->octaves);
      between.push_back({low->cell, 1 - share});
      between.push_back({high->cell, share});
    } else if (low || high) {
      beside.push_back({(low ? low : high)->cell, 1});
    }
  }
  std::vector<Term>& terms = between.empty() ? beside : between;
  double total = 0;
  for (const Term& term : terms) total += term.weight;
  for (Term& term : terms) term.weight /= total;
  return terms;
}

// Of one hole; whether there is any time.
bool fill_hole(MeasuredGrid& grid, const std::vector<Term>& terms, std::size_t hole) {
  double slowest = kNoTime;
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    double sum = terms.empty() ? kNoTime : 0;
    for (const Term& term : terms) {
      sum += term.weight * std::log(grid.time_us[grid.at(term.cell, m)]);
    }
    grid.time_us[grid.at(hole, m)] = std::exp(sum);
    slowest = std::fmax(slowest, std::exp(sum));
  }
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    double& time_us = grid.time_us[grid.at(hole, m)];
    if (std::isnan(time_us) && grid.exists[grid.at(hole, m)]) time_us = kCannotRun * slowest;
    grid.tied_us[grid.at(hole, m)] = time_us;
  }
  return !std::isnan(slowest);
}

// By method the factor of the time a third of the way to the neighbour; 1 without one.
std::vector<double> factors(const MeasuredGrid& grid, std::span<const double> times_us,
                            std::size_t cell, const std::optional<GridNeighbour>& neighbour) {
  const std::size_t methods = grid.methods.size();
  std::vector<double> factors(methods, 1.0);
  if (!neighbour) return factors;
  const auto here = times_us.subspan(cell * methods, methods);
  const auto there = times_us.subspan(neighbour->cell * methods, methods);
  const double best = least_time(there) / least_time(here);
  for (std::size_t m = 0; m < methods; ++m) {
    const double ratio = there[m] / here[m];
    factors[m] = std::pow(std::isnan(ratio) ? best : ratio, kOffset);
  }
  return factors;
}

}  // namespace

std::string name(const Objective& objective) {
  switch (objective.kind) {
    case Objective::Kind::kMean:
      return "mean";
    case Objective::Kind::kBetween:
      return "between";
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
  for (const Objective::Kind kind :
       {Objective::Kind::kMean, Objective::Kind::kBetween, Objective::Kind::kMax,
        Objective::Kind::kTime, Objective::Kind::kExpected}) {
    if (name(Objective{kind}) == text) return {kind};
  }
  if (text.starts_with('p')) {
    const auto percent = parse_number<unsigned>(text.substr(1));
    if (percent && *percent >= 1 && *percent <= 99) return {Objective::Kind::kQuantile, *percent};
  }
  throw UsageError(
      fmt::format("unknown objective '{}'; known are mean, between, expected, max, time and p1 to "
                  "p99 (a quantile)",
                  text));
}

std::vector<double> penalties(const MeasuredGrid& grid, bool tied) {
  return by_cell(grid, times_of(grid, tied),
                 [](double time_us, double best_us) { return (time_us - best_us) / best_us; });
}

std::vector<double> times_us(const MeasuredGrid& grid, bool tied) {
  return by_cell(grid, times_of(grid, tied), [](double time_us, double) { return time_us; });
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
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      double& value = values[grid.at(cell, m)];
      if (value != kNotAllowed) value *= grid.weight[cell];
    }
  }
  return values;
}

void fill_holes(MeasuredGrid& grid) {
  for (const GridAxis& axis : grid.axes) {
    const bool placement =
        axis.attribute == Attribute::kNodes || axis.attribute == Attribute::kRanksPerNode;
    if (placement && !axis.is_collective) return;
  }
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (grid.instance[cell]) continue;
    if (fill_hole(grid, terms_of(grid, cell), cell)) grid.weight[cell] = 1;
  }
}

std::vector<double> penalties_between(const MeasuredGrid& grid, bool tied) {
  const std::vector<double>& times_us = tied ? grid.tied_us : grid.time_us;
  const std::size_t methods = grid.methods.size();
  std::vector<bool> has_times;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const auto times = std::span(times_us).subspan(cell * methods, methods);
    has_times.push_back(!std::isnan(least_time(times)));
  }
  const auto neighbour = [&](std::size_t cell, std::size_t axis, bool upwards) {
    return next_along(grid, cell, axis, upwards, [&](std::size_t at) { return has_times[at]; });
  };
  std::vector<double> costs = penalties(grid, tied);
  std::vector<double> times(methods);
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (!has_times[cell]) continue;
    std::array<std::array<std::vector<double>, 3>, kSizeAxes> by_axis;
    for (std::size_t axis = 0; axis < kSizeAxes; ++axis) {
      by_axis[axis] = {factors(grid, times_us, cell, std::nullopt),
                       factors(grid, times_us, cell, neighbour(cell, axis, false)),
                       factors(grid, times_us, cell, neighbour(cell, axis, true))};
    }
    std::vector<double> sum(methods, 0.0);
    for (const std::vector<double>& rows : by_axis[0]) {
      for (const std::vector<double>& columns : by_axis[1]) {
        for (std::size_t m = 0; m < methods; ++m) {
          times[m] = times_us[grid.at(cell, m)] * rows[m] * columns[m];
        }
        const double best = least_time(times);
        for (std::size_t m = 0; m < methods; ++m) sum[m] += (times[m] - best) / best;
      }
    }
    for (std::size_t m = 0; m < methods; ++m) {
      if (!std::isnan(sum[m])) costs[grid.at(cell, m)] = sum[m] / 9;
    }
  }
  return costs;
}

}  // namespace colltree::optimal
