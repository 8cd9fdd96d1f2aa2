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

struct Neighbour {
  std::size_t instance;
  double distance;  // in octaves
};

struct Bracket {
  Neighbour low;
  Neighbour high;
};

std::vector<Bracket> brackets(const InstanceGrid& grid, std::size_t cell) {
  std::vector<Bracket> found;
  const auto is_measured = [&](std::size_t known) { return grid.instance[known].has_value(); };
  for (const std::size_t axis : {0, 1}) {
    const auto low = next_along(grid, cell, axis, false, is_measured);
    const auto high = next_along(grid, cell, axis, true, is_measured);
    if (!low || !high) continue;
    found.push_back(
        {{*grid.instance[low->cell], low->octaves}, {*grid.instance[high->cell], high->octaves}});
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

// kNoTime is a NaN and passes through the arithmetic as such.
double interpolate(const Timings& timings, const std::vector<Bracket>& axes, const Method& method) {
  double sum = 0;
  for (const Bracket& axis : axes) {
    const double low = std::log(timings.time_of(axis.low.instance, method).known_us());
    const double high = std::log(timings.time_of(axis.high.instance, method).known_us());
    const double share = axis.low.distance / (axis.low.distance + axis.high.distance);
    sum += low + share * (high - low);
  }
  return axes.empty() ? kNoTime : std::exp(sum / static_cast<double>(axes.size()));
}

// One or two values of an axis, with weights that add up to 1.
struct Weighted {
  std::size_t index;
  double weight;
};

// The ascending positions next to `size`; beyond an end, the end.
std::vector<Weighted> around(const std::vector<std::uint64_t>& sizes,
                             const std::vector<std::size_t>& positions, std::uint64_t size) {
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
  const std::vector<Bracket> axes = brackets(grid, cell);
  const std::size_t nearest = nearest_instance(grid, timings, hole);
  std::vector<double> times;
  for (const Method& method : timings.methods) {
    times.push_back(interpolate(timings, axes, effective_method(method, hole)));
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
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
    if (effective_method(timings_.methods[m], instance) != timings_.methods[m]) continue;
    const double time = predicted(terms, m);
    if (time < least) {
      least = time;
      best = m;
    }
  }
  // If no method has a time at all the points it needs, the nearest point decides.
  return least < INFINITY ? timings_.methods[best] : best_of_heaviest(terms);
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
  for (const Weighted& row : around(ranks, rows_, sought.communicator_size)) {
    for (const Weighted& column : around(bytes, columns_of_row_[row.index], sought.message_size)) {
      terms.push_back({*instance(row.index, column.index), row.weight * column.weight / 2});
    }
  }
  for (const Weighted& column : around(bytes, columns_, sought.message_size)) {
    for (const Weighted& row :
         around(ranks, rows_of_column_[column.index], sought.communicator_size)) {
      terms.push_back({*instance(row.index, column.index), row.weight * column.weight / 2});
    }
  }
  return terms;
}

// NaN if the method has no time at one of the points.
double LogLogTimes::predicted(const std::vector<Term>& terms, std::size_t method) const {
  double sum = 0;
  for (const Term& term : terms) {
    sum += term.weight * log_times_[term.instance * timings_.methods.size() + method];
  }
  return sum;
}

Method LogLogTimes::best_of_heaviest(const std::vector<Term>& terms) const {
  const Term heaviest = *std::ranges::max_element(terms, {}, &Term::weight);
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
    const double time = timings_.time_at(heaviest.instance, m).known_us();
    if (time < least) {
      least = time;
      best = m;
    }
  }
  return timings_.methods[best];
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

namespace {

// The penalty in a draw, around the penalty by the predictions themselves. If the choice is clearly
// not the best, its own error counts in full.
struct DrawnPenalty {
  double least_us;  // known
  double ratio;     // of the known time of the choice
  bool may_be_best;
  double mean;  // of all draws of the choice over its known time

  double operator()(double chosen_us, double drawn_least_us, double came_true) const {
    static const double most = std::exp(kMostLogError);
    if (may_be_best) {
      const double behind =
          std::fmin(chosen_us / std::fmin(chosen_us, drawn_least_us), ratio * most);
      return std::fmax(0, ratio - 1 + came_true * (behind - ratio));
    }
    if (chosen_us <= drawn_least_us) return 0;
    const double of_least = std::fmin(least_us / drawn_least_us, most) - 1;
    return std::fmax(0, chosen_us / mean / least_us * (1 + came_true * of_least) - 1);
  }
};

}  // namespace

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
  const DrawnPenalty penalty{least_us, ratio, std::log(ratio) <= deviation(time), mean};
  for (std::size_t draw = 0; draw < kPredictionDraws; ++draw) {
    const double drawn_least_us = rivals.least_us[draw];
    last.drawn.push_back({penalty(chosen_us[draw], drawn_least_us, came_true_[draw]),
                          penalty(chosen_us[draw], drawn_least_us, timings_.loss_came_true),
                          chosen_us[draw], rivals.default_us[draw]});
  }
  return last.drawn;
}

}  // namespace colltree
