// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/noise_floor.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "timings/timings.h"

namespace colltree {

namespace {

std::vector<Method> common_methods(const Timings& one, const Timings& other) {
  std::vector<Method> common;
  std::ranges::copy_if(one.methods, std::back_inserter(common), [&](const Method& method) {
    return std::ranges::find(other.methods, method) != other.methods.end();
  });
  return common;
}

// The columns of these methods only, which the table has; without intervals.
Timings with_methods(const Timings& timings, const std::vector<Method>& methods) {
  Timings narrow{.system = timings.system,
                 .provenance = timings.provenance,
                 .collective = timings.collective,
                 .methods = methods,
                 .instances = timings.instances,
                 .time_us = {},
                 .default_us = timings.default_us,
                 .low_us = {},
                 .high_us = {}};
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    for (const Method& method : methods) {
      const auto column = std::ranges::find(timings.methods, method) - timings.methods.begin();
      narrow.time_us.push_back(timings.at(i, static_cast<std::size_t>(column)));
    }
  }
  return narrow;
}

// Of two tables with the same methods.
NoiseFloor transferred_among(const Timings& from, const Timings& to) {
  std::map<Instance, Method> best;
  for (std::size_t i = 0; i < from.instances.size(); ++i) {
    if (const auto method = from.best_at(i)) best[from.instances[i]] = from.methods[*method];
  }
  NoiseFloor floor;
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < to.instances.size(); ++i) {
    const auto chosen = best.find(to.instances[i]);
    const auto there = to.best_at(i);
    if (chosen == best.end() || !there) continue;
    common.push_back(i);
    floor.same_best += chosen->second == to.methods[*there] ? 1 : 0;
  }
  floor.judged = common.size();
  floor.common_methods = to.methods.size();
  floor.points = penalty_points(select_instances(to, common),
                                [&](const Instance& instance) { return best.at(instance); });
  return floor;
}

}  // namespace

void NoiseFloor::add(const NoiseFloor& other) {
  common_methods =
      judged == 0 ? other.common_methods : std::min(common_methods, other.common_methods);
  other_methods = std::max(other_methods, other.other_methods);
  points.add(other.points);
  same_best += other.same_best;
  judged += other.judged;
}

double NoiseFloor::share_same() const {
  return judged == 0 ? 0 : static_cast<double>(same_best) / static_cast<double>(judged);
}

NoiseFloor transferred(const Timings& from, const Timings& to) {
  const std::vector<Method> common = common_methods(from, to);
  if (common.empty()) return {};
  NoiseFloor floor = transferred_among(with_methods(from, common), with_methods(to, common));
  floor.other_methods = from.methods.size() + to.methods.size() - 2 * common.size();
  return floor;
}

}  // namespace colltree
