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

class Finder {
 public:
  Finder(const Timings& timings, const Chooser& choose, double least_factor)
      : timings_(timings),
        choose_(choose),
        least_factor_(least_factor),
        grid_(make_map_grid(timings)) {}

  std::vector<Jump> run() {
    const std::size_t rows = grid_.communicator_sizes().size();
    const std::size_t columns = grid_.message_sizes().size();
    for (std::size_t row = 0; row < rows; ++row) {
      look(line(row * columns, 1, grid_.message_sizes()));
    }
    for (std::size_t column = 0; column < columns; ++column) {
      look(line(column, columns, grid_.communicator_sizes()));
    }
    std::ranges::stable_sort(found_, std::ranges::greater(), &Jump::factor);
    return std::move(found_);
  }

 private:
  Line line(std::size_t first, std::size_t step, const std::vector<std::uint64_t>& sizes) const {
    Line points;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto instance = grid_.instance[first + k * step];
      if (!instance) continue;
      Method method = choose_(timings_.instances[*instance]);
      const Time time = timings_.time_of(*instance, method);
      if (time.is_impossible()) continue;
      const double best_us = std::fmin(time.known_us(), timings_.least_known_us(*instance));
      points.push_back({*instance, octaves(sizes[k]), std::move(method), std::log(time.known_us()),
                        std::log(best_us), time.is_predicted()});
    }
    return points;
  }

  static double slope(const TimedPoint& a, const TimedPoint& b, double TimedPoint::*value) {
    return (b.*value - a.*value) / (b.octave - a.octave);
  }

  static double trend(const Line& line, std::size_t k) {
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

  void look(const Line& line) {
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
      const TimedPoint& a = line[k];
      const TimedPoint& b = line[k + 1];
      if (a.method == b.method) continue;
      const double expected = a.log_time + trend(line, k) * (b.octave - a.octave);
      const double factor = std::exp(std::fabs(b.log_time - expected));
      if (factor <= least_factor_) continue;
      found_.push_back({timings_.instances[a.instance], timings_.instances[b.instance], a.method,
                        b.method, std::exp(a.log_time), std::exp(b.log_time),
                        std::expm1(a.log_time - a.log_best), std::expm1(b.log_time - b.log_best),
                        std::exp(expected), factor, a.predicted || b.predicted});
    }
  }

  const Timings& timings_;
  const Chooser& choose_;
  double least_factor_;
  InstanceGrid grid_;
  std::vector<Jump> found_;
};

}  // namespace

std::vector<Jump> find_jumps(const Timings& timings, const Chooser& choose, double least_factor) {
  return Finder(timings, choose, least_factor).run();
}

}  // namespace colltree
