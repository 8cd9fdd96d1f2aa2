// SPDX-License-Identifier: BSD-3-Clause
#include "timings/interpolation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "coll/catalogue.h"
#include "timings/instance_grid.h"

namespace colltree {

namespace {

// The nearest measured cells along each axis that has them on both sides.
std::vector<std::pair<GridNeighbour, GridNeighbour>> brackets(const InstanceGrid& grid,
                                                              std::size_t cell) {
  std::vector<std::pair<GridNeighbour, GridNeighbour>> found;
  const auto is_measured = [&](std::size_t known) { return grid.instance[known].has_value(); };
  for (const std::size_t axis : {0, 1}) {
    const auto low = next_along(grid, cell, axis, false, is_measured);
    const auto high = next_along(grid, cell, axis, true, is_measured);
    if (low && high) found.emplace_back(*low, *high);
  }
  return found;
}

std::size_t nearest_instance(const InstanceGrid& grid, const Timings& timings,
                             const Instance& hole) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& instance : grid.instance) {
    if (!instance) continue;
    const Instance& there = timings.instances[*instance];
    const double distance =
        std::hypot(octaves(there.communicator_size) - octaves(hole.communicator_size),
                   octaves(there.message_size) - octaves(hole.message_size));
    if (distance < least) {
      least = distance;
      nearest = *instance;
    }
  }
  return nearest;
}

// The ascending positions next to `size`, with weights that add up to 1; beyond an end, the end.
std::vector<std::pair<std::size_t, double>> around(const std::vector<std::uint64_t>& sizes,
                                                   const std::vector<std::size_t>& positions,
                                                   std::uint64_t size) {
  const auto next =
      std::ranges::lower_bound(positions, size, {}, [&](std::size_t i) { return sizes[i]; });
  if (next == positions.end()) return {{positions.back(), 1}};
  if (next == positions.begin() || sizes[*next] == size) return {{*next, 1}};
  const std::size_t low = *(next - 1);
  const double share =
      (octaves(size) - octaves(sizes[low])) / (octaves(sizes[*next]) - octaves(sizes[low]));
  return {{low, 1 - share}, {*next, share}};
}

}  // namespace

std::vector<double> interpolated_times(const InstanceGrid& grid, const Timings& timings,
                                       std::size_t cell) {
  const Instance hole = instance_at(grid, timings, cell);
  const auto axes = brackets(grid, cell);
  const std::size_t nearest = nearest_instance(grid, timings, hole);
  std::vector<double> times;
  for (const Method& method : timings.methods) {
    const auto log_us = [&](const GridNeighbour& known) {
      return std::log(
          timings.time_of(*grid.instance[known.cell], effective_method(method, hole)).known_us());
    };
    // kNoTime is a NaN and passes through the arithmetic as such.
    double sum = axes.empty() ? kNoTime : 0;
    for (const auto& [low, high] : axes) {
      const double low_us = log_us(low);
      sum += low_us + low.octaves / (low.octaves + high.octaves) * (log_us(high) - low_us);
    }
    times.push_back(std::exp(sum / static_cast<double>(axes.size())));
  }
  if (std::ranges::all_of(times, [](double time) { return std::isnan(time); })) {
    std::ranges::transform(timings.methods, times.begin(), [&](const Method& method) {
      return timings.time_of(nearest, effective_method(method, hole)).known_us();
    });
  }
  return times;
}

LogLogTimes::LogLogTimes(const Timings& timings)
    : timings_(timings),
      grid_(make_map_grid(timings)),
      columns_of_row_(grid_.communicator_sizes().size()),
      rows_of_column_(grid_.message_sizes().size()) {
  for (std::size_t row = 0; row < columns_of_row_.size(); ++row) {
    rows_.push_back(row);
    for (std::size_t column = 0; column < rows_of_column_.size(); ++column) {
      if (row == 0) columns_.push_back(column);
      if (!instance(row, column)) continue;
      columns_of_row_[row].push_back(column);
      rows_of_column_[column].push_back(row);
    }
  }
  for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
    for (const Method& method : timings_.methods) {
      log_times_.push_back(std::log(timings_.time_of(i, method).known_us()));
    }
  }
}

Method LogLogTimes::choose(const Instance& instance) const {
  const std::vector<Term> terms = terms_for(instance);
  std::vector<double> times(timings_.methods.size(), kNoTime);
  for (std::size_t m = 0; m < times.size(); ++m) {
    if (effective_method(timings_.methods[m], instance) == timings_.methods[m])
      times[m] = predicted(terms, m);
  }
  if (const auto best = best_method(times, 0)) return timings_.methods[*best];
  // If no method has a time at all the points it needs, the nearest point decides.
  const Term heaviest = *std::ranges::max_element(terms, {}, &Term::second);
  for (std::size_t m = 0; m < times.size(); ++m)
    times[m] = timings_.time_at(heaviest.first, m).known_us();
  return timings_.methods[best_method(times, 0).value_or(0)];
}

const std::optional<std::size_t>& LogLogTimes::instance(std::size_t row, std::size_t column) const {
  return grid_.instance[row * grid_.message_sizes().size() + column];
}

// Interpolates along message sizes within the neighbouring rows, and along communicator sizes
// within the neighbouring columns; on a full grid the two are the same.
std::vector<LogLogTimes::Term> LogLogTimes::terms_for(const Instance& sought) const {
  std::vector<Term> terms;
  const auto& ranks = grid_.communicator_sizes();
  const auto& bytes = grid_.message_sizes();
  for (const auto& [row, of_row] : around(ranks, rows_, sought.communicator_size)) {
    for (const auto& [column, share] : around(bytes, columns_of_row_[row], sought.message_size))
      terms.emplace_back(*instance(row, column), of_row * share / 2);
  }
  for (const auto& [column, of_column] : around(bytes, columns_, sought.message_size)) {
    for (const auto& [row, share] :
         around(ranks, rows_of_column_[column], sought.communicator_size))
      terms.emplace_back(*instance(row, column), share * of_column / 2);
  }
  return terms;
}

// NaN if the method has no time at one of the points.
double LogLogTimes::predicted(const std::vector<Term>& terms, std::size_t method) const {
  double sum = 0;
  for (const auto& [known, weight] : terms)
    sum += weight * log_times_[known * timings_.methods.size() + method];
  return sum;
}

namespace {

// Predictions of neighbours come from the same times and are wrong together; with independent
// errors, a mean over many would pass for certain. Half of an error at a message size is common to
// all communicators, because there a protocol switches.
constexpr double kOctavesOfRanks = 1;
constexpr double kOctavesOfBytes = 2;
constexpr double kFarthest = 3;  // deviations
// The standard deviation of the logarithm of the share that comes true, by campaign_coverage.
constexpr double kShareDeviation = 1.1;

std::size_t block(std::uint64_t size, double octaves_of_block) {
  return static_cast<std::size_t>(std::max(0.0, octaves(size) / octaves_of_block) + 1);
}

double deviation(const Time& time) {
  return time.is_predicted() ? log_deviation(time.interval_or_itself()) : 0;
}

}  // namespace

PredictionDraws::PredictionDraws(const Timings& timings)
    : timings_(timings),
      default_column_(timings.default_column().value_or(timings.methods.size())),
      any_(counts_of(timings).predicted > 0),
      rivals_(timings.instances.size()),
      last_(timings.instances.size()) {
  SeededRandom random(1);
  for (std::size_t draw = 0; draw < kPredictionDraws; ++draw)
    came_true_.push_back(timings.loss_came_true * std::exp(kShareDeviation * random.normal()));
}

Time PredictionDraws::time_of(std::size_t instance, std::size_t column) const {
  return column == default_column_ ? timings_.default_us[instance]
                                   : timings_.time_at(instance, column);
}

const std::vector<double>& PredictionDraws::errors(std::size_t instance, std::size_t column) {
  const Instance& sizes = timings_.instances[instance];
  const std::size_t bytes = block(sizes.message_size, kOctavesOfBytes);
  const std::size_t place = 1000 * block(sizes.communicator_size, kOctavesOfRanks) + bytes;
  std::vector<double>& drawn = errors_[{column, place}];
  if (!drawn.empty()) return drawn;
  SeededRandom of_block(1 + column * 1000000 + place);
  SeededRandom of_bytes(1 + column * 1000000 + bytes);
  for (std::size_t draw = 0; draw < kPredictionDraws; ++draw) {
    const double error = (of_block.normal() + of_bytes.normal()) / std::numbers::sqrt2;
    drawn.push_back(std::clamp(error, -kFarthest, kFarthest));
  }
  return drawn;
}

std::vector<double> PredictionDraws::drawn_us(std::size_t instance, std::size_t column) {
  const Time time = time_of(instance, column);
  std::vector<double> drawn(kPredictionDraws, time.known_us());
  if (!time.is_predicted()) return drawn;
  const double scale = deviation(time);
  const std::vector<double>& errors = this->errors(instance, column);
  for (std::size_t draw = 0; draw < drawn.size(); ++draw)
    drawn[draw] *= std::exp(std::clamp(scale * errors[draw], -kMostLogError, kMostLogError));
  return drawn;
}

const PredictionDraws::Rivals& PredictionDraws::rivals_at(std::size_t instance) {
  std::optional<Rivals>& known = rivals_[instance];
  if (known) return *known;
  const std::size_t methods = timings_.methods.size();
  std::vector<double> farthest;  // by method, the factor that its time may be off by
  for (std::size_t m = 0; m < methods; ++m)
    farthest.push_back(std::exp(kFarthest * deviation(timings_.time_at(instance, m))));
  double limit_us = kNoTime;
  for (std::size_t m = 0; m < methods; ++m)
    limit_us = std::fmin(limit_us, timings_.time_at(instance, m).known_us() * farthest[m]);
  Rivals& rivals = known.emplace();
  rivals.predicted = time_of(instance, default_column_).is_predicted();
  rivals.default_us = drawn_us(instance, default_column_);
  rivals.least_us.assign(kPredictionDraws, kNoTime);
  for (std::size_t m = 0; m < methods; ++m) {
    const Time time = timings_.time_at(instance, m);
    // This method is the least in no draw, whatever the errors of the predictions.
    if (!(time.known_us() / farthest[m] <= limit_us)) continue;
    rivals.predicted = rivals.predicted || time.is_predicted();
    const std::vector<double> drawn = drawn_us(instance, m);
    for (std::size_t draw = 0; draw < drawn.size(); ++draw)
      rivals.least_us[draw] = std::fmin(rivals.least_us[draw], drawn[draw]);
  }
  return rivals;
}

const std::vector<PredictionDraws::Drawn>& PredictionDraws::drawn_at(
    std::size_t instance, std::optional<std::size_t> chosen) {
  const std::size_t asked = chosen.value_or(default_column_);
  Answer& last = last_[instance];
  if (!any_ || last.column == asked) return last.drawn;
  last = {asked, {}};
  const Rivals& rivals = rivals_at(instance);
  if (!rivals.predicted && !time_of(instance, asked).is_predicted()) return last.drawn;
  const Time time = time_of(instance, asked);
  const std::vector<double> chosen_us = drawn_us(instance, asked);
  const double least_us = std::fmin(timings_.least_known_us(instance), time.known_us());
  const double ratio = time.known_us() / least_us;
  const double mean = std::accumulate(chosen_us.begin(), chosen_us.end(), 0.0) / time.known_us() /
                      static_cast<double>(chosen_us.size());
  const bool may_be_best = std::log(ratio) <= deviation(time);
  const double most = std::exp(kMostLogError);
  // The penalty in a draw, around the penalty by the predictions themselves. If the choice is
  // clearly not the best, its own error counts in full.
  const auto penalty = [&](double drawn_us, double drawn_least_us, double came_true) {
    if (may_be_best) {
      const double behind = std::fmin(drawn_us / std::fmin(drawn_us, drawn_least_us), ratio * most);
      return std::fmax(0, ratio - 1 + came_true * (behind - ratio));
    }
    if (drawn_us <= drawn_least_us) return 0.0;
    const double of_least = std::fmin(least_us / drawn_least_us, most) - 1;
    return std::fmax(0, drawn_us / mean / least_us * (1 + came_true * of_least) - 1);
  };
  for (std::size_t draw = 0; draw < kPredictionDraws; ++draw) {
    const double drawn_least_us = rivals.least_us[draw];
    last.drawn.push_back({penalty(chosen_us[draw], drawn_least_us, came_true_[draw]),
                          penalty(chosen_us[draw], drawn_least_us, timings_.loss_came_true),
                          chosen_us[draw], rivals.default_us[draw]});
  }
  return last.drawn;
}

}  // namespace colltree
