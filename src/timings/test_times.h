// SPDX-License-Identifier: BSD-3-Clause
// What tests of several rooms do to measured times.
#pragma once

#include <initializer_list>
#include <vector>

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

}  // namespace colltree::testing
