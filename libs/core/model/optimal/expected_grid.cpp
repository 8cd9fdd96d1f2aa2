// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/expected_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "model/optimal/cost_cube.h"
#include "surrogate/belief.h"
#include "surrogate/constants.h"
#include "surrogate/equals.h"
#include "surrogate/tail.h"
#include "timings/penalty.h"

namespace colltree::optimal {

namespace {

// These constants were chosen with `perf/tables/make.py between`.
constexpr std::size_t kManyPoints = 256;
constexpr double kCloseNeighbours = 1.5;  // the ratio of two sizes that have nothing between them
constexpr std::size_t kRanksBetween = 3;
constexpr std::size_t kRanksBeyond = 2;  // on the way to twice or half of the end
constexpr std::size_t kBytesBetween = 1;
constexpr double kLeastLossOfFailure = 0.5;  // log time, of a method that cannot run
constexpr double kCertainToFail = 0.9;       // a share
constexpr double kMeasuredShare = 0.3;       // of all weight, lies on the measured points alike
constexpr double kMeasuredShareOfMany = 0.2;
constexpr double kUsualNoise = 0.05;  // log time, of a time whose noise is not known

bool is_placement(const GridAxis& axis) {
  return !axis.is_collective &&
         (axis.attribute == Attribute::kNodes || axis.attribute == Attribute::kRanksPerNode);
}

class SizesWithBetween {
 public:
  explicit SizesWithBetween(double close) : close_(close) {}

  // Most communicator sizes are no power of two, so a size that stands for many must not be one.
  void add_usual(std::uint64_t size) {
    add(size > 4 && std::has_single_bit(size) ? size - 1 : size);
  }
  void add(std::uint64_t size) {
    if (sizes_.empty() || size > sizes_.back()) sizes_.push_back(size);
  }
  // `count` sizes on the way from the last one to `end`, which is not added.
  void add_between(std::uint64_t end, std::size_t count, bool ranks) {
    const auto low = static_cast<double>(std::max<std::uint64_t>(sizes_.back(), 1));
    const double ratio = static_cast<double>(end) / low;
    if (ratio < close_) return;
    for (std::size_t k = 1; k <= count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count + 1);
      const auto size = static_cast<std::uint64_t>(std::lround(low * std::pow(ratio, share)));
      if (size < end) ranks ? add_usual(size) : add(size);
    }
  }
  std::vector<std::uint64_t> take() { return std::move(sizes_); }

 private:
  double close_;
  std::vector<std::uint64_t> sizes_;
};

// Message sizes get none beyond the ends.
std::vector<std::uint64_t> with_between(const std::vector<std::uint64_t>& measured, bool many,
                                        bool ranks) {
  SizesWithBetween sizes(many ? kCloseNeighbours : 0);
  const bool has_ends = ranks && !many;
  if (has_ends && measured.front() >= 4) {
    sizes.add_usual(measured.front() / 2);
    sizes.add_between(measured.front(), kRanksBeyond, true);
  }
  for (std::size_t i = 0; i < measured.size(); ++i) {
    sizes.add(measured[i]);
    if (i + 1 < measured.size())
      sizes.add_between(measured[i + 1], ranks ? kRanksBetween : kBytesBetween, ranks);
  }
  if (has_ends) {
    sizes.add_between(2 * measured.back(), kRanksBeyond, true);
    sizes.add_usual(2 * measured.back());
  }
  return sizes.take();
}

// The share of the axis that each value stands for: half of the way to each neighbour.
std::vector<double> shares_of(const GridAxis& axis) {
  std::vector<double> shares(axis.size(), 1);
  if (axis.is_collective || is_placement(axis) || axis.size() < 2) return shares;
  const auto position = [&](std::size_t i) {
    return axis.attribute == Attribute::kMessageSize
               ? octaves(axis.values[i] + surrogate::kSmallMessage_bytes)
               : octaves(axis.values[i]);
  };
  for (std::size_t i = 0; i < axis.size(); ++i)
    shares[i] = (position(std::min(i + 1, axis.size() - 1)) - position(i == 0 ? 0 : i - 1)) / 2;
  return shares;
}

bool has_noise(const Time& time) {
  const auto interval = time.interval();
  return interval && interval->low > 0 && interval->low < interval->high;
}

double noise_of(const Time& time) {
  return has_noise(time) ? log_deviation(*time.interval()) : kUsualNoise;
}

// True if the method was measured to be slower, by more than the noise of both and noticeably.
bool measured_slower(const Time& time, const Time& default_time) {
  const double difference = std::log(time.measured_us() / default_time.measured_us());
  const bool are_apart = has_noise(time) && has_noise(default_time) &&
                         time.interval()->low > default_time.interval()->high;
  return difference > std::log1p(kNoticeable) &&
         (are_apart ||
          difference > kDeviationsOf95 * std::hypot(noise_of(time), noise_of(default_time)));
}

class Filling {
 public:
  Filling(std::span<const Timings> timings, double caution)
      : timings_(timings), caution_(caution), measured_(make_measured_grid(timings)) {
    MeasuredGrid& grid = result_;
    grid.collectives = measured_.collectives;
    grid.methods = measured_.methods;
    has_placements_ = std::ranges::any_of(measured_.axes, is_placement);
    const bool many = measured_.measured_cells() > kManyPoints;
    std::size_t cells = 1;
    for (GridAxis axis : measured_.axes) {
      const bool is_ranks = axis.attribute == Attribute::kCommunicatorSize;
      if (!axis.is_collective && !is_placement(axis) && !(is_ranks && has_placements_))
        axis = make_axis(axis.attribute, with_between(axis.values, many, is_ranks));
      cells *= axis.size();
      shares_.push_back(shares_of(axis));
      grid.axes.push_back(std::move(axis));
    }
    const std::size_t values = cells * grid.methods.size();
    grid.instance.resize(cells);
    grid.weight.assign(cells, 0);
    grid.time_us.assign(values, kNoTime);
    grid.exists.assign(values, true);
    result_.expected_cost.assign(values, 0);
    result_.deviation.assign(values, 0);
  }

  MeasuredGrid run() {
    for (const Timings& table : timings_) fill(table);
    const double total = result_.total_weight();
    const auto points = static_cast<double>(measured_.measured_cells());
    const double of_measured = points > kManyPoints ? kMeasuredShareOfMany : kMeasuredShare;
    for (std::size_t cell = 0; cell < result_.cells(); ++cell) {
      result_.share.push_back(result_.weight[cell] / total);
      result_.weight[cell] = (1 - of_measured) * result_.share.back() +
                             (result_.instance[cell] ? of_measured / points : 0);
    }
    return std::move(result_);
  }

 private:
  void fill(const Timings& timings) {
    std::vector<std::size_t> cells;
    std::vector<Instance> instances;
    std::map<std::uint64_t, const Instance*> nearest_measured;  // by communicator size
    for (std::size_t cell = 0; cell < result_.cells(); ++cell) {
      Instance instance = sizes_at(result_, cell);
      if (instance.collective != timings.collective) continue;
      const std::size_t nearest = measured_.cell_of(instance);
      // Only the measured combinations of nodes and ranks per node are possible.
      if (has_placements_ && !measured_.instance[nearest]) continue;
      if (same_sizes(instance, sizes_at(measured_, nearest)))
        result_.instance[cell] = measured_.instance[nearest];
      if (!has_placements_) {
        const Instance*& measured = nearest_measured[instance.communicator_size];
        if (measured == nullptr) measured = &nearest_by_ranks(timings, instance.communicator_size);
        instance.nodes = measured->nodes;
        instance.ranks_per_node = measured->ranks_per_node;
      }
      cells.push_back(cell);
      instances.push_back(instance);
    }
    const std::vector<surrogate::Belief> beliefs = surrogate::beliefs(timings, instances);
    const std::size_t methods = timings.methods.size();
    for (std::size_t i = 0; i < cells.size(); ++i)
      fill_cell(timings, cells[i], std::span(beliefs).subspan(i * methods, methods));
  }

  static bool same_sizes(const Instance& a, const Instance& b) {
    return a.communicator_size == b.communicator_size && a.message_size == b.message_size;
  }

  static const Instance& nearest_by_ranks(const Timings& timings, std::uint64_t ranks) {
    return *std::ranges::min_element(timings.instances, {}, [&](const Instance& known) {
      return std::abs(octaves(known.communicator_size) - octaves(ranks));
    });
  }

  void fill_cell(const Timings& timings, std::size_t cell,
                 std::span<const surrogate::Belief> beliefs) {
    MeasuredGrid& grid = result_;
    double weight = 1;
    for (std::size_t a = 0; a < shares_.size(); ++a)
      weight *= shares_[a][cell / grid.stride(a) % grid.axes[a].size()];
    grid.weight[cell] = weight;
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      grid.exists[grid.value_index(cell, m)] = false;
      result_.expected_cost[grid.value_index(cell, m)] = kNotAllowed;
    }
    double least = INFINITY;
    double most = -INFINITY;
    for (const surrogate::Belief& belief : beliefs) {
      if (belief.cannot_run > kCertainToFail) continue;
      least = std::min(least, belief.mean);
      most = std::max(most, belief.mean);
    }
    const double failure = std::max(kLeastLossOfFailure, most - least);
    const auto& known = grid.instance[cell];
    const auto default_column = timings.default_column();
    for (std::size_t m = 0; m < beliefs.size(); ++m) {
      const std::size_t index =
          grid.value_index(cell, model::index_of_method(grid.methods, timings.methods[m]));
      grid.exists[index] = true;
      const Time time = known ? timings.time_of(*known, timings.methods[m]) : Time();
      if (known && time.is_impossible()) continue;
      grid.time_us[index] = std::exp(beliefs[m].mean);
      grid.deviation[index] = beliefs[m].deviation;
      if (known && default_column && m != *default_column &&
          measured_slower(time, timings.time_at(*known, *default_column)))
        continue;
      const double fails = known ? 0 : beliefs[m].cannot_run;
      result_.expected_cost[index] = (1 - fails) * std::max(0.0, beliefs[m].mean - least) +
                                     fails * failure + caution_ * harm(timings, beliefs, m);
    }
  }

  // The expected loss against the library's own choice, in log time.
  static double harm(const Timings& timings, std::span<const surrogate::Belief> beliefs,
                     std::size_t method) {
    const auto default_column = timings.default_column();
    if (!default_column || *default_column == method ||
        beliefs[*default_column].cannot_run > kCertainToFail)
      return 0;
    return surrogate::expected_excess(
        beliefs[method].mean - beliefs[*default_column].mean,
        std::hypot(beliefs[method].deviation, beliefs[*default_column].deviation));
  }

  std::span<const Timings> timings_;
  double caution_;
  MeasuredGrid measured_;
  bool has_placements_ = false;
  std::vector<std::vector<double>> shares_;  // by axis
  MeasuredGrid result_;
};

}  // namespace

std::vector<Timings> told_apart(std::span<const Timings> timings,
                                std::vector<std::pair<Collective, Method>>& left_out) {
  std::vector<Timings> kept;
  for (const Timings& table : timings) {
    const std::vector<Method> like = surrogate::like_default(table);
    std::vector<Method> kept_methods = table.methods;
    std::erase_if(kept_methods,
                  [&](const Method& method) { return std::ranges::count(like, method) > 0; });
    kept.push_back(like.empty() ? table : select_methods(table, kept_methods));
    for (const Method& method : like) left_out.emplace_back(table.collective, method);
  }
  return kept;
}

MeasuredGrid make_expected_grid(std::span<const Timings> timings, double caution) {
  return Filling(timings, caution).run();
}

}  // namespace colltree::optimal
