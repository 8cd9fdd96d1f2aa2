// SPDX-License-Identifier: BSD-3-Clause
// The measured times as beliefs (belief.h) see them: logarithms beside the level that all methods
// have in common at a point.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "surrogate/kernel.h"
#include "timings/instance_grid.h"
#include "timings/timings.h"

namespace colltree::surrogate {

// Not a number: no time.
struct Observed {
  std::vector<Place> places;  // the points of the table, and behind them what is asked for
  std::size_t points = 0;
  Place middle;                    // of the points
  PredictionGrid grid;             // of all places, each placement a row of its own
  std::vector<std::size_t> cells;  // the places in it
  std::size_t methods = 0;
  std::vector<double> value;     // points x methods
  std::vector<double> variance;  // of the measurement

  double log_time(std::size_t point, std::size_t method) const {
    return value[point * methods + method];
  }
  bool has(std::size_t point, std::size_t method) const {
    return !std::isnan(log_time(point, method));
  }
  double noise(std::size_t point, std::size_t method) const {
    return variance[point * methods + method];
  }
};

// The times of the table, with the instances that a belief is asked for as places behind its
// points.
Observed observe(const Timings& timings, std::span<const Instance> asked);

// An estimate of the logarithm of one method's time at one place.
struct Moments {
  double mean = 0;
  double variance = 0;
};

}  // namespace colltree::surrogate
