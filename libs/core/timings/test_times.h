// SPDX-License-Identifier: BSD-3-Clause
// Changes of measured times that tests of several rooms make.
#pragma once

#include <initializer_list>
#include <vector>

#include "base/random.h"
#include "timings/timings.h"

namespace colltree::testing {

inline void append(Times& times, std::initializer_list<double> measured_us) {
  for (const double us : measured_us) times.push_back(us);
}

inline void scale(Times& times, std::size_t at, double factor) {
  times.set(at, factor * times[at].measured_us());
}

inline void set_interval(Times& times, std::size_t at, const Interval& interval) {
  times.set(at, Time::measured(times[at].measured_us(), interval));
}

// Every time with an interval that reaches so far to either side, as factors of the time.
inline void set_intervals(Times& times, double low, double high) {
  for (std::size_t at = 0; at < times.size(); ++at)
    set_interval(times, at, {low * times[at].measured_us(), high * times[at].measured_us()});
}

// Without intervals.
inline void forget_intervals(Times& times) {
  const std::span<const double> known_us = times.known_us();
  times = std::vector<double>(known_us.begin(), known_us.end());
}

inline std::vector<double> values_of(const Times& times) {
  return {times.known_us().begin(), times.known_us().end()};
}

// Tests: tables of times with holes, methods that cannot run and a library's own choice, the same
// for a seed.
struct RandomTable {
  std::vector<std::uint64_t> ranks = {2, 3, 8, 12, 16, 50};
  std::vector<std::uint64_t> bytes = {0, 1, 8, 100, 4096, 65536};
  std::size_t methods = 3;
  double holes = 0;       // share of the points that were not measured
  double cannot_run = 0;  // share of the times that are missing
};

inline Timings random_timings(const RandomTable& table, std::uint64_t seed,
                              Collective collective = Collective::kBcast) {
  SeededRandom random(seed);
  Timings timings{.system = "random", .provenance = "simulated", .collective = collective};
  for (std::size_t m = 0; m < table.methods; ++m)
    timings.methods.push_back({"m" + std::to_string(m), 0});
  for (const std::uint64_t ranks : table.ranks) {
    for (const std::uint64_t bytes : table.bytes) {
      if (random.uniform() < table.holes) continue;
      timings.instances.push_back({collective, ranks, bytes});
      for (std::size_t m = 0; m < table.methods; ++m) {
        const double time = std::exp(6 * random.uniform());
        timings.time_us.push_back(random.uniform() < table.cannot_run ? kNoTime : time);
      }
      timings.default_us.push_back(random.uniform() < 0.2 ? kNoTime
                                                          : std::exp(6 * random.uniform()));
    }
  }
  return timings;
}

}  // namespace colltree::testing
