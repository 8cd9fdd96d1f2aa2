// SPDX-License-Identifier: BSD-3-Clause
#include "timings/proven.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"

namespace colltree {

namespace {

std::size_t default_column(const Timings& timings) {
  if (const auto column = timings.default_column()) return *column;
  throw Error(fmt::format(
      "{} on {}: a gain over the library's own choice needs its times; measure 'default' too, or "
      "leave the gain out",
      name(timings.collective), timings.system));
}

Timings with_default_times(const Timings& timings, std::size_t column) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.at(i, column).is_impossible()) kept.push_back(i);
  }
  if (kept.size() == timings.instances.size()) return timings;
  return select_instances(timings, kept);
}

Timings proven(const Timings& all, double gain) {
  const std::size_t column = default_column(all);
  Timings timings = with_default_times(all, column);
  if (timings.instances.empty()) {
    throw Error(fmt::format(
        "{} on {}: the library's own choice was measured at no instance; measure again with "
        "--retry-failed where it failed, or leave the gain out (--least-gain none)",
        name(timings.collective), timings.system));
  }
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const double limit_us = timings.at(i, column).interval_or_itself().low;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      const bool is_faster = timings.at(i, m).interval_or_itself().high * (1 + gain) <= limit_us;
      if (m != column && !is_faster) timings.time_us.set(i * timings.methods.size() + m, Time());
    }
  }
  return timings;
}

}  // namespace

std::vector<Timings> proven(const std::vector<Timings>& timings, double gain) {
  std::vector<Timings> result;
  for (const Timings& one : timings) result.push_back(proven(one, gain));
  return result;
}

}  // namespace colltree
