// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/complete.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/statistics.h"
#include "surrogate/surrogate.h"

namespace colltree::surrogate {

namespace {

class Completion {
 public:
  Completion(Timings& timings, const profile::WantedTimes& wanted)
      : timings_(timings), wanted_(wanted), grid_(prediction_grid(timings.instances)) {}

  void run() {
    require_known_placements();
    Surrogate surrogate(grid_, timings_.methods.size() + 1, 1);
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
      for (std::size_t m = 0; m < timings_.methods.size(); ++m)
        record(surrogate, {m, point_of(i)}, timings_.time_at(i, m));
      if (!timings_.default_column())
        record(surrogate, {timings_.methods.size(), point_of(i)}, timings_.default_us[i]);
    }
    each_wanted([&](std::size_t instance, std::size_t column) {
      surrogate.allow({column, point_of(instance)});
    });
    surrogate.update();
    reach_ = surrogate.reach();
    timings_.loss_came_true = surrogate.loss_came_true(reach_.within, timings_.methods.size());
    each_wanted(
        [&](std::size_t instance, std::size_t column) { fill(surrogate, instance, column); });
  }

 private:
  // Placements of one communicator size are distinguished by their ranks per node alone.
  void require_known_placements() const {
    if (std::ranges::count(grid_.ranks_per_node, 0U) == 0 && one_number_of_nodes()) return;
    throw Error(fmt::format(
        "{} on {}: communicators of one size were measured with several placements that their "
        "ranks per node do not tell apart, so what was not measured cannot be predicted; measure "
        "all of it, without --budget and --until",
        name(timings_.collective), timings_.system));
  }

  bool one_number_of_nodes() const {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> nodes;
    return std::ranges::all_of(timings_.instances, [&](const Instance& instance_of_table) {
      const std::pair row(instance_of_table.communicator_size, instance_of_table.ranks_per_node);
      return nodes.emplace(row, instance_of_table.nodes).first->second == instance_of_table.nodes;
    });
  }

  std::size_t point_of(std::size_t instance) const {
    const Instance& sizes = timings_.instances[instance];
    return grid_.point(sizes.communicator_size, sizes.message_size, sizes.ranks_per_node);
  }

  // Calls `see` with the instance and column of each wanted cell that the table has.
  void each_wanted(const std::function<void(std::size_t, std::size_t)>& see) const {
    for (const auto& [instance, method] : wanted_) {
      const auto found = std::ranges::lower_bound(timings_.instances, instance);
      const auto column = column_of(method);
      if (column && found != timings_.instances.end() && *found == instance)
        see(static_cast<std::size_t>(found - timings_.instances.begin()), *column);
    }
  }

  // The default has a column of its own if it is no method.
  std::optional<std::size_t> column_of(const Method& method) const {
    const auto found = std::ranges::find(timings_.methods, method);
    if (found == timings_.methods.end() && !is_library_default(method)) return std::nullopt;
    return static_cast<std::size_t>(found - timings_.methods.begin());
  }

  static void record(Surrogate& surrogate, GridCell cell, const Time& time) {
    const double time_us = time.measured_us();
    if (!std::isnan(time_us))
      surrogate.record(cell, time_us, log_deviation(time.interval_or_itself()));
  }

  void fill(const Surrogate& surrogate, std::size_t instance, std::size_t column) {
    const GridCell cell{column, point_of(instance)};
    if (surrogate.is_measured(cell) || !surrogate.is_known(cell)) return;
    const double mean = surrogate.mean(cell);
    const double reach =
        (surrogate.is_beyond(cell) ? reach_.beyond : reach_.within) * surrogate.deviation(cell);
    const Time time =
        Time::predicted(std::exp(mean), {std::exp(mean - reach), std::exp(mean + reach)});
    const bool is_method = column < timings_.methods.size();
    if (is_method) timings_.time_us.set(instance * timings_.methods.size() + column, time);
    if (!is_method || is_library_default(timings_.methods[column]))
      timings_.default_us.set(instance, time);
  }

  Timings& timings_;
  const profile::WantedTimes& wanted_;
  PredictionGrid grid_;
  Surrogate::Reach reach_;
};

}  // namespace

void predict_times(Timings& timings, const profile::WantedTimes& wanted) {
  Completion(timings, wanted).run();
}

Timings complete(profile::StoredTimings stored) {
  if (!stored.wanted.empty()) predict_times(stored.timings, stored.wanted);
  if (stored.ranks_per_node == 0) return std::move(stored.timings);
  return select_placement(stored.timings, stored.ranks_per_node);
}

std::optional<Timings> complete(std::optional<profile::StoredTimings> stored) {
  if (!stored) return std::nullopt;
  return complete(std::move(*stored));
}

}  // namespace colltree::surrogate
