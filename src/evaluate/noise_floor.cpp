// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/noise_floor.h"

#include <algorithm>
#include <map>

#include "decision/decision_map.h"

namespace colltree {

namespace {

std::optional<std::size_t> best_at(const Timings& timings, std::size_t i) {
  const std::size_t methods = timings.methods.size();
  return best_method({timings.time_us.data() + i * methods, methods},
                     DecisionMapOptions().tie_tolerance);
}

}  // namespace

void NoiseFloor::add(const NoiseFloor& other) {
  points.add(other.points);
  same_best += other.same_best;
  judged += other.judged;
}

double NoiseFloor::share_same() const {
  return judged == 0 ? 0 : static_cast<double>(same_best) / static_cast<double>(judged);
}

NoiseFloor transferred(const Timings& from, const Timings& to) {
  std::map<Instance, Method> best;
  for (std::size_t i = 0; i < from.instances.size(); ++i) {
    if (const auto method = best_at(from, i)) best[from.instances[i]] = from.methods[*method];
  }
  NoiseFloor floor;
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < to.instances.size(); ++i) {
    const auto chosen = best.find(to.instances[i]);
    const auto there = best_at(to, i);
    if (chosen == best.end() || !there) continue;
    common.push_back(i);
    floor.same_best += chosen->second == to.methods[*there] ? 1 : 0;
  }
  floor.judged = common.size();
  floor.points = penalty_points(select_instances(to, common),
                                [&](const Instance& instance) { return best.at(instance); });
  return floor;
}

NoiseFloor between(const Timings& one, const Timings& other) {
  NoiseFloor both = transferred(one, other);
  both.add(transferred(other, one));
  return both;
}

}  // namespace colltree
