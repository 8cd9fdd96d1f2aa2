// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/statistics.h"
#include "surrogate/surrogate.h"

namespace colltree {

namespace {

class Completion {
 public:
  Completion(Timings& timings, const WantedTimes& wanted)
      : timings_(timings), wanted_(wanted), grid_(prediction_grid(timings.instances)) {}

  void run() {
    require_known_placements();
    Surrogate surrogate(grid_, timings_.methods.size() + 1, 1);
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
      for (std::size_t m = 0; m < timings_.methods.size(); ++m)
        record(surrogate, {m, point_of(i)}, timings_.at(i, m), relative_error(i, m));
      record(surrogate, {timings_.methods.size(), point_of(i)}, timings_.default_us[i], 0);
    }
    for (const auto& [instance, method] : wanted_) {
      for (const std::size_t column : columns_of(method)) {
        surrogate.allow({column, point_of(index_of(instance))});
      }
    }
    surrogate.update();
    timings_.predicted.resize(timings_.time_us.size());
    for (const auto& [instance, method] : wanted_) fill(surrogate, index_of(instance), method);
  }

 private:
  // Placements of one communicator size are told apart by their ranks per node.
  void require_known_placements() const {
    if (std::ranges::count(grid_.ranks_per_node, 0U) == 0 && one_number_of_nodes()) return;
    throw Error(fmt::format(
        "{} on {}: communicators of one size were measured with several placements that their "
        "ranks per node do not tell apart, so what was not measured cannot be predicted; measure "
        "all of it (--exhaustive)",
        name(timings_.collective), timings_.system));
  }

  bool one_number_of_nodes() const {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> nodes;
    return std::ranges::all_of(timings_.instances, [&](const Instance& at) {
      const std::pair row(at.communicator_size, at.ranks_per_node);
      return nodes.emplace(row, at.nodes).first->second == at.nodes;
    });
  }

  std::size_t point_of(std::size_t instance) const {
    const Instance& at = timings_.instances[instance];
    return grid_.point(at.communicator_size, at.message_size, at.ranks_per_node);
  }

  std::size_t index_of(const Instance& instance) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(timings_.instances, instance) -
                                    timings_.instances.begin());
  }

  // The default may be a method, and is a column of its own.
  std::vector<std::size_t> columns_of(const Method& method) const {
    std::vector<std::size_t> columns;
    const auto found = std::ranges::find(timings_.methods, method);
    if (found != timings_.methods.end())
      columns.push_back(static_cast<std::size_t>(found - timings_.methods.begin()));
    if (is_library_default(method)) columns.push_back(timings_.methods.size());
    return columns;
  }

  double relative_error(std::size_t instance, std::size_t method) const {
    if (timings_.low_us.empty()) return 0;
    const std::size_t at = instance * timings_.methods.size() + method;
    return log_deviation({timings_.low_us[at], timings_.high_us[at]});
  }

  static void record(Surrogate& surrogate, GridCell cell, double time_us, double error) {
    if (!std::isnan(time_us)) surrogate.record(cell, time_us, error);
  }

  void fill(const Surrogate& surrogate, std::size_t instance, const Method& method) {
    for (const std::size_t column : columns_of(method)) {
      const GridCell cell{column, point_of(instance)};
      if (surrogate.is_measured(cell) || !surrogate.is_known(cell)) continue;
      const double mean = surrogate.mean(cell);
      if (column == timings_.methods.size()) {
        timings_.default_us[instance] = std::exp(mean);
        continue;
      }
      const std::size_t at = instance * timings_.methods.size() + column;
      timings_.time_us[at] = std::exp(mean);
      timings_.predicted[at] = true;
      if (timings_.low_us.empty()) continue;
      timings_.low_us[at] = std::exp(mean - kDeviationsOf95 * surrogate.deviation(cell));
      timings_.high_us[at] = std::exp(mean + kDeviationsOf95 * surrogate.deviation(cell));
    }
  }

  Timings& timings_;
  const WantedTimes& wanted_;
  PredictionGrid grid_;
};

}  // namespace

void predict_times(Timings& timings, const WantedTimes& wanted) {
  Completion(timings, wanted).run();
}

}  // namespace colltree
