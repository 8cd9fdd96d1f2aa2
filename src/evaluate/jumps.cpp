// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/jumps.h"

#include <algorithm>
#include <cmath>

#include "timings/instance_grid.h"

namespace colltree {

namespace {

struct TimedPoint {
  std::size_t instance = 0;
  double octave = 0;
  Method method;
  double log_time = 0;
  double log_best = 0;
  bool predicted = false;
};
using Line = std::vector<TimedPoint>;

// The points of the grid from cell `first` on, where the choice can run.
Line line_of(const Timings& timings, const Chooser& choose, const InstanceGrid& grid,
             std::size_t first, std::size_t step, const std::vector<std::uint64_t>& sizes) {
  Line points;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto instance = grid.instance[first + k * step];
    if (!instance) continue;
    Method method = choose(timings.instances[*instance]);
    const Time time = timings.time_of(*instance, method);
    if (time.is_impossible()) continue;
    const double best_us = std::fmin(time.known_us(), timings.least_known_us(*instance));
    points.push_back({*instance, octaves(sizes[k]), std::move(method), std::log(time.known_us()),
                      std::log(best_us), time.is_predicted()});
  }
  return points;
}

double slope(const TimedPoint& a, const TimedPoint& b, double TimedPoint::*value) {
  return (b.*value - a.*value) / (b.octave - a.octave);
}

double trend(const Line& line, std::size_t k) {
  double sum = 0;
  int steps = 0;
  const auto add = [&](std::size_t i) {
    if (line[i].method != line[i + 1].method) return;
    sum += slope(line[i], line[i + 1], &TimedPoint::log_time);
    ++steps;
  };
  if (k > 0) add(k - 1);
  if (k + 2 < line.size()) add(k + 1);
  return steps > 0 ? sum / steps : slope(line[k], line[k + 1], &TimedPoint::log_best);
}

void add_jumps(const Timings& timings, const Line& line, double least_factor,
               std::vector<Jump>& found) {
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const TimedPoint& a = line[k];
    const TimedPoint& b = line[k + 1];
    if (a.method == b.method) continue;
    const double expected = a.log_time + trend(line, k) * (b.octave - a.octave);
    const double factor = std::exp(std::fabs(b.log_time - expected));
    if (factor <= least_factor) continue;
    found.push_back({timings.instances[a.instance], timings.instances[b.instance], a.method,
                     b.method, std::exp(a.log_time), std::exp(b.log_time),
                     std::expm1(a.log_time - a.log_best), std::expm1(b.log_time - b.log_best),
                     std::exp(expected), factor, a.predicted || b.predicted});
  }
}

}  // namespace

std::vector<Jump> find_jumps(const Timings& timings, const Chooser& choose, double least_factor) {
  const InstanceGrid grid = make_map_grid(timings);
  const auto& ranks = grid.communicator_sizes();
  const auto& bytes = grid.message_sizes();
  std::vector<Jump> found;
  const auto look = [&](std::size_t first, std::size_t step,
                        const std::vector<std::uint64_t>& sizes) {
    add_jumps(timings, line_of(timings, choose, grid, first, step, sizes), least_factor, found);
  };
  for (std::size_t row = 0; row < ranks.size(); ++row) look(row * bytes.size(), 1, bytes);
  for (std::size_t column = 0; column < bytes.size(); ++column) look(column, bytes.size(), ranks);
  std::ranges::stable_sort(found, std::ranges::greater(), &Jump::factor);
  return found;
}

}  // namespace colltree
