// SPDX-License-Identifier: BSD-3-Clause
// What an optimal tree minimises, and the costs that the search adds up for it.
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
    kBetween,   // the same, also around and between the measured points (fill_holes)
    kMax,       // greatest performance penalty of a point of any weight
    kQuantile,  // the least penalty that `percent` of the weight does not exceed
    kTime,      // mean time in us, by weight
    kExpected,  // expected log loss over a density of sizes (expected_grid.h)
  };
  Kind kind = Kind::kMean;
  unsigned percent = 95;

  bool operator==(const Objective&) const = default;
};

std::string name(const Objective& objective);  // "mean", "between", "max", "p95", "time"
// Throws UsageError.
Objective parse_objective(std::string_view text);

// The performance penalty of each method in each cell (cells x methods): 0 in holes, kNotAllowed
// where the method cannot run. `tied`: methods that tie with the best cost 0.
std::vector<double> penalties(const MeasuredGrid& grid, bool tied);
// The same for times in us; a hole costs 0.
std::vector<double> times_us(const MeasuredGrid& grid, bool tied);

// Costs scaled by a power of two and rounded to integers, the greatest sum below 2^48, as CostCube
// wants them. One unit is the rounding of a cell twice over.
struct ScaledCosts {
  CostCube cube;
  double unit = 1;  // in what was given
};
ScaledCosts scale_costs(std::size_t methods, std::vector<double> costs);

// weight x value cell by cell; kNotAllowed stays, also where the weight is 0.
std::vector<double> weighted(const MeasuredGrid& grid, std::vector<double> values);

// Times between the measured points, for trees that must be good there too (objective "between").
// Programs use sizes that nobody measured; a tree that is fitted to the measured points alone
// believes each of them, and takes whatever costs nothing where there is none.

// Gives the holes of a grid of sizes times and the weight 1. Along each axis of sizes with measured
// points on both sides the logarithm of a method's time is interpolated linearly in log2 of the
// size; two axes are averaged. A hole that no axis brackets takes the times of the nearest point
// along each axis. What cannot run at one of these points takes twice as long as the slowest: it
// may stand there, but not for nothing. Grids with a placement keep their holes: ranks x nodes x
// ranks per node leave most cells empty. Cost: cells x methods.
void fill_holes(MeasuredGrid& grid);

// The mean performance penalty of each method in the part of the plane that is nearest to each
// cell (cells x methods; kNotAllowed where it cannot run, 0 in holes): at nine points, the cell and
// a third of the way to its neighbours along both axes, times linear in log-log space. A method
// that the neighbour does not have changes as the best one does. `tied` as in penalties().
// Cost: 9 x cells x methods.
std::vector<double> penalties_between(const MeasuredGrid& grid, bool tied);

}  // namespace colltree::optimal
