// SPDX-License-Identifier: BSD-3-Clause
// The objective that an optimal tree minimises, and the costs that the search adds up for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/optimal/cost_cube.h"
#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

struct Objective {
  enum class Kind : std::uint8_t {
    kMean,      // mean performance penalty, by weight
    kMax,       // greatest performance penalty of a point of any weight
    kQuantile,  // the least penalty that `percent` of the weight does not exceed
    kTime,      // mean time in us, by weight
    kExpected,  // expected log loss over a density of sizes (expected_grid.h)
  };
  Kind kind = Kind::kMean;
  unsigned percent = 95;

  bool operator==(const Objective&) const = default;
};

std::string name(const Objective& objective);  // "mean", "max", "p95", "time", "expected"
// Throws UsageError.
Objective parse_objective(std::string_view text);

// The performance penalty of each method in each cell (cells x methods): 0 in holes, kNotAllowed
// where the method cannot run.
std::vector<double> penalties(const MeasuredGrid& grid);
// The same for times in us; a hole costs 0.
std::vector<double> times_us(const MeasuredGrid& grid);

// Costs scaled by a power of two and rounded to integers with a sum below 2^48, as CostCube needs
// them. One unit is twice the rounding of a cell.
struct ScaledCosts {
  CostCube cube;
  double unit = 1;  // in what was given
};
ScaledCosts scale_costs(std::size_t methods, std::vector<double> costs);

// weight x value cell by cell; kNotAllowed stays, also where the weight is 0.
std::vector<double> weighted(const MeasuredGrid& grid, std::vector<double> values);

}  // namespace colltree::optimal
