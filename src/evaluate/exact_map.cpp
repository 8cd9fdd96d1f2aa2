// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>

#include "decision/decision_map.h"
#include "evaluate/contender.h"

namespace colltree {

namespace {

double octaves(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

// 0 = not known: then it is no reason to prefer one point.
double placement_octaves(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 ? 0 : octaves(a) - octaves(b);
}

class NearestMeasured {
 public:
  explicit NearestMeasured(const Timings& timings) {
    const std::size_t methods = timings.methods.size();
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const std::span<const double> times(timings.time_us.data() + i * methods, methods);
      const auto best = best_method(times, DecisionMapOptions().tie_tolerance);
      if (best) points_.push_back({timings.instances[i], timings.methods[*best]});
    }
  }

  const Method& choose(const Instance& instance) const {
    const Point* nearest = &points_.front();
    double least = INFINITY;
    for (const Point& point : points_) {
      const double distance = squared_distance(point.at, instance);
      if (distance < least) {
        least = distance;
        nearest = &point;
      }
    }
    return nearest->best;
  }

 private:
  struct Point {
    Instance at;
    Method best;
  };

  static double squared_distance(const Instance& a, const Instance& b) {
    const double differences[] = {octaves(a.communicator_size) - octaves(b.communicator_size),
                                  octaves(a.message_size) - octaves(b.message_size),
                                  placement_octaves(a.nodes, b.nodes),
                                  placement_octaves(a.ranks_per_node, b.ranks_per_node)};
    double sum = 0;
    for (const double difference : differences) sum += difference * difference;
    return sum;
  }

  std::vector<Point> points_;
};

}  // namespace

Contender exact_map() {
  return {"exact map", [](const std::vector<Timings>& timings) -> FittedChooser {
            auto maps = std::make_shared<std::map<Collective, NearestMeasured>>();
            for (const Timings& one : timings) maps->emplace(one.collective, one);
            return {[maps](const Instance& instance) {
                      return maps->at(instance.collective).choose(instance);
                    },
                    "", nullptr};
          }};
}

}  // namespace colltree
