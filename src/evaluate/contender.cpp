// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/contender.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/work.h"
#include "model/kinds/optimal.h"
#include "model/optimal/measured_grid.h"
#include "timings/instance_grid.h"
#include "timings/interpolation.h"

namespace colltree::evaluate {

namespace {

// 0 = not known: then it is no reason to prefer one point.
double placement_octaves(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 ? 0 : octaves(a) - octaves(b);
}

class NearestMeasured {
 public:
  explicit NearestMeasured(const Timings& timings) {
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const auto best = timings.best_at(i);
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

FittedChooser chooser_of(std::shared_ptr<const model::Model> model) {
  const model::Model* kept = model.get();  // alive as long as the struct it goes into
  return {[kept](const Instance& instance) { return kept->decide(instance); },
          model::nothing_to_choose(*kept) ? "nothing to choose" : "", std::move(model)};
}

FittedChooser fit_best_fixed(const std::vector<Timings>& timings) {
  auto methods = std::make_shared<std::map<Collective, Method>>();
  std::string detail;
  for (const Timings& one : timings) {
    const auto fixed = best_fixed_method(one);
    if (!fixed) throw Error(fmt::format("{}: no method was measured", name(one.collective)));
    methods->emplace(one.collective, fixed->method);
    detail += (detail.empty() ? "" : ", ") + fixed->method.label();
  }
  return {[methods](const Instance& instance) { return methods->at(instance.collective); }, detail,
          nullptr};
}

struct Expecting {
  parametric::Network network;
  std::vector<Method> methods;
  // The first of the measured methods where none has a formula.
  Method choose(const Instance& at) const {
    std::vector<double> times;
    for (const Method& method : methods)
      times.push_back(parametric::expected_us(network, method, at).value_or(kNoTime));
    return methods[best_method(times).value_or(0)];
  }
};

// A reference made from the timings of each collective by itself.
template <typename Reference>
Contender by_collective(const char* name) {
  return {name, [](const std::vector<Timings>& timings) -> FittedChooser {
            auto references = std::make_shared<std::map<Collective, Reference>>();
            for (const Timings& one : timings) references->emplace(one.collective, one);
            return {[references](const Instance& instance) {
                      return references->at(instance.collective).choose(instance);
                    },
                    "", nullptr};
          }};
}

}  // namespace

Contender fitted_by(const model::Fitter& fitter) {
  return {fitter.name(), [fitter](const std::vector<Timings>& timings) {
            return chooser_of(std::make_shared<model::Model>(fitter.fit(timings)));
          }};
}

Contender fixed_model(std::string name, std::shared_ptr<const model::Model> model) {
  return {std::move(name), [model](const std::vector<Timings>&) { return chooser_of(model); }};
}

Contender best_fixed() { return {"best fixed", fit_best_fixed}; }

Contender exact_map() { return by_collective<NearestMeasured>("exact map"); }

Contender interpolation() { return by_collective<LogLogTimes>("interpolation"); }

Contender least_expected_time(std::string name,
                              std::function<parametric::Network(Collective)> network_for) {
  return {
      std::move(name), [network_for](const std::vector<Timings>& timings) -> FittedChooser {
        auto expecting = std::make_shared<std::map<Collective, Expecting>>();
        for (const Timings& one : timings)
          expecting->emplace(one.collective, Expecting{network_for(one.collective), one.methods});
        return {[expecting](const Instance& instance) {
                  return expecting->at(instance.collective).choose(instance);
                },
                "", nullptr};
      }};
}

std::vector<PenaltyPoints> points_of_fold(const FoldParts& parts, const Contender& contender) {
  const FittedChooser fitted = contender.fit(parts.rest);
  std::vector<PenaltyPoints> points;
  for (const Timings& one : parts.left_out) points.push_back(penalty_points(one, fitted.choose));
  return points;
}

std::size_t fits_at_a_time(const std::vector<Timings>& timings) {
  constexpr double kBytesOfBox = 2 * 8 * 40;  // frontiers of forty leaves, powers of two apart
  const double boxes = optimal::box_count(make_grid(timings).axes);
  const auto memory_bytes = static_cast<double>(model::OptimalOptions{}.memory_limit_bytes);
  return static_cast<std::size_t>(std::clamp(memory_bytes / (kBytesOfBox * boxes), 1.0, 64.0));
}

std::vector<PenaltyPoints> held_out_points(const std::vector<Timings>& timings, const Folds& folds,
                                           const Contender& contender,
                                           const std::function<void()>& after_fold) {
  std::vector<std::vector<PenaltyPoints>> by_fold(folds.count());
  std::mutex progress;
  in_parallel(folds.count(), fits_at_a_time(timings), [&](std::size_t fold) {
    by_fold[fold] = points_of_fold(part(timings, folds, fold), contender);
    const std::lock_guard lock(progress);
    after_fold();
  });
  std::vector<PenaltyPoints> points(timings.size());
  for (const std::vector<PenaltyPoints>& of_fold : by_fold) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].add(of_fold[i]);
  }
  return points;
}

Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed) {
  return {.seed = seed, .group = [folds](const Instance& at) { return folds.group(at); }};
}

}  // namespace colltree::evaluate
