// SPDX-License-Identifier: BSD-3-Clause
// Noise for simulated times: the simulator repeats itself exactly, real clusters do not. Seeded:
// the same (seed, cell, repetition) gives the same factor on any machine and in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace colltree {

struct NoiseModel {
  double spread = 0;    // interquartile range of the samples relative to their median; 0 = off
  double outliers = 0;  // share of samples that are hit by something else on the machine ...
  double outlier_factor = 10;  // ... and take up to this many times longer
  std::uint64_t seed = 1;

  bool off() const { return spread == 0 && outliers == 0; }
  auto operator<=>(const NoiseModel&) const = default;
};

// "off" or "spread=0.05,outliers=0.01,factor=10,seed=7" in any order. Throws UsageError.
NoiseModel parse_noise(std::string_view text);
std::string format_noise(const NoiseModel& noise);

// The factor for one repetition of the cell named by `cell` (plan.h: cell_line). Median 1.
double noise_factor(const NoiseModel& noise, std::string_view cell, std::uint64_t repetition);

}  // namespace colltree
