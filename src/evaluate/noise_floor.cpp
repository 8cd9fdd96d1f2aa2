// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/noise_floor.h"

#include <algorithm>
#include <map>

#include "timings/timings.h"

namespace colltree {

namespace {

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
  NoiseFloor floor = transferred_among(select_methods(from, common), select_methods(to, common));
  floor.other_methods = from.methods.size() + to.methods.size() - 2 * common.size();
  return floor;
}

}  // namespace colltree
