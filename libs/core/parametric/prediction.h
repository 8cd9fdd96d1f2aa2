// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a method at an instance, measured or not: its formula's time, corrected by
// what was measured near there, and how far that can be trusted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "parametric/formulas.h"
#include "timings/timings.h"

namespace colltree::parametric {

// The formula's time, and the ratios of measured to expected time in the nearest measured cells,
// the instance's own apart. Nearest: in octaves of both sizes.
struct Prediction {
  double formula_us = 0;
  double time_us = 0;  // formula_us times the median of the nearest ratios, where there are some
  // formula_us times the least and the greatest ratio. Beyond the measured sizes their logarithms
  // are taken apart by as much again for each octave: what is not known grows with the way.
  std::optional<Interval> interval_us;
};

// The number of cells that makes an interval of 95 %.
inline constexpr std::size_t kNearestCells = 39;
// And the time follows the nearest of these: of 3 to 39 nine decide best, in the grid and beyond.
inline constexpr std::size_t kMedianCells = 9;

class Predictor {
 public:
  // The timings of one collective; none of them may have been measured.
  Predictor(const Network& network, Timings timings);

  // None where there is no formula. Each method has its ratios; with fewer than ten cells its
  // algorithm's. Cost: the cells of the algorithm.
  std::optional<Prediction> predict(const Method& method, const Instance& instance) const;

 private:
  struct Ratio {
    double log2_ranks;
    double log2_bytes;
    double log_ratio;
    std::size_t instance;
  };
  double octaves_beyond(const Instance& instance) const;
  std::vector<double> nearest(const std::vector<Ratio>& ratios, const Instance& instance) const;

  Network network_;
  Timings timings_;
  std::set<std::uint64_t> ranks_;  // measured
  std::set<std::uint64_t> bytes_;
  std::map<Method, std::vector<Ratio>> by_method_;
  std::map<std::string, std::vector<Ratio>> by_algorithm_;
};

}  // namespace colltree::parametric
