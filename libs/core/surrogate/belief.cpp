// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/belief.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

#include "base/work.h"
#include "coll/catalogue.h"
#include "coll/library_algorithms.h"
#include "surrogate/constants.h"
#include "surrogate/kernel.h"
#include "surrogate/process.h"
#include "surrogate/tail.h"
#include "timings/instance_grid.h"

namespace colltree::surrogate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The logarithms of the times of a table beside the level of their point; not a number: no time.
struct Observed {
  std::vector<Place> places;  // the points of the table, and behind them what is asked for
  std::size_t points = 0;
  Place middle;                    // of the points
  PredictionGrid grid;             // of all places, each placement a row of its own
  std::vector<std::size_t> cells;  // the places in it
  std::size_t methods = 0;
  std::vector<double> value;     // points x methods
  std::vector<double> variance;  // of the measurement

  double log_time(std::size_t point, std::size_t method) const {
    return value[point * methods + method];
  }
  bool has(std::size_t point, std::size_t method) const {
    return !std::isnan(log_time(point, method));
  }
  double noise(std::size_t point, std::size_t method) const {
    return variance[point * methods + method];
  }
};

double variance_of(const Time& time) {
  const auto interval = time.interval();
  if (!interval || interval->low <= 0) return 0;
  return square(log_deviation(*interval));
}

// Subtracts what all methods have in common at a point: the row effects of an additive fit of
// points and methods. (A mean over the methods would not do, because cells may be missing.)
void remove_levels(Observed& observed) {
  std::vector<double> method(observed.methods, 0);
  for (int round = 0; round < kLevelRounds; ++round) {
    for (std::size_t i = 0; i < observed.points; ++i) {
      double sum = 0;
      double count = 0;
      for (std::size_t m = 0; m < observed.methods; ++m) {
        if (observed.has(i, m)) sum += observed.log_time(i, m) - method[m], ++count;
      }
      if (count == 0) continue;
      for (std::size_t m = 0; m < observed.methods; ++m)
        observed.value[i * observed.methods + m] -= sum / count;
    }
    for (std::size_t m = 0; m < observed.methods; ++m) {
      double sum = 0;
      double count = 0;
      for (std::size_t i = 0; i < observed.points; ++i) {
        if (observed.has(i, m)) sum += observed.log_time(i, m), ++count;
      }
      if (count > 0) method[m] = sum / count;
    }
  }
}

Observed observe(const Timings& timings, std::span<const Instance> asked) {
  Observed observed;
  observed.methods = timings.methods.size();
  observed.points = timings.instances.size();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    observed.places.push_back(place_of(timings.instances[i]));
    for (const Method& method : timings.methods) {
      const Time time = timings.time_of(i, method);
      observed.value.push_back(std::log(time.known_us()));
      observed.variance.push_back(variance_of(time));
    }
  }
  observed.middle = middle_of(observed.places);
  for (const Instance& instance : asked) observed.places.push_back(place_of(instance));
  observed.grid = grid_of_placements(observed.places | std::views::transform(&Place::instance));
  for (const Place& place : observed.places)
    observed.cells.push_back(observed.grid.point(place.instance.communicator_size,
                                                 place.instance.message_size,
                                                 place.instance.ranks_per_node));
  remove_levels(observed);
  return observed;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

// The process of one method on all points where it has a time.
class ProcessOfPoints {
 public:
  ProcessOfPoints(const Observed& observed, const GridKernel& kernel, std::size_t method)
      : observed_(observed), kernel_(kernel) {
    for (std::size_t point = 0; point < observed.points; ++point) {
      if (observed.has(point, method)) points_.push_back(point);
    }
    MatrixXd covariance(size(), size());
    VectorXd values(size());
    for (Index i = 0; i < size(); ++i) {
      values(i) = observed.log_time(points_[i], method);
      covariance.col(i) = with(points_[i]);
      covariance(i, i) += kernel.own_variance() + observed.noise(points_[i], method);
    }
    process_ = Process(std::move(covariance), std::move(values), kBeliefDoubt);
    weights_ = process_.weights();
  }

  // The mean and the variance at one of the places.
  Moments moments_at(std::size_t there) const {
    const double prior_variance = kernel_.between(observed_.cells[there], observed_.cells[there]);
    if (size() == 0) return {0, prior_variance};
    const VectorXd covariances = with(there);
    return {covariances.dot(weights_),
            std::max(kLeastVariance, prior_variance - process_.halved(covariances).squaredNorm())};
  }

  // The squared errors of the points, in deviations, when all points of the same communicator size
  // are left out, and when all of the same message size are.
  std::vector<double> surprises() const {
    std::vector<double> squares;
    if (size() < static_cast<Index>(kFewestOfMethod)) return squares;
    const LeftOut left_out = process_.left_out();
    for (const bool by_ranks : {true, false}) {
      for (const double miss : left_out.by_size([&](Index i) {
             return by_ranks ? place(i).instance.communicator_size : place(i).instance.message_size;
           }))
        squares.push_back(square(miss));
    }
    return squares;
  }

 private:
  Index size() const { return static_cast<Index>(points_.size()); }
  const Place& place(Index i) const {
    return observed_.places[points_[static_cast<std::size_t>(i)]];
  }
  VectorXd with(std::size_t there) const {
    VectorXd values(size());
    for (Index i = 0; i < size(); ++i)
      values(i) = kernel_.between(observed_.cells[points_[static_cast<std::size_t>(i)]],
                                  observed_.cells[there]);
    return values;
  }

  const Observed& observed_;
  const GridKernel& kernel_;
  std::vector<std::size_t> points_;
  Process process_;
  VectorXd weights_;
};

// Places that are judged together: [first, last) of what is asked for.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Neighbours along the message sizes have most of their nearest points in common.
std::vector<Block> blocks_of(std::span<const Place> asked) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool begins = blocks.empty() || i - blocks.back().first == kJudgedTogether ||
                        asked[i].ranks != asked[blocks.back().first].ranks;
    if (begins) blocks.push_back({i, i});
    blocks.back().last = i + 1;
  }
  return blocks;
}

// The points that are among the nearest of any place of the block, by a kernel that must have no
// trends.
std::vector<std::size_t> nearest(const Observed& observed, const GridKernel& kernel,
                                 const Block& block) {
  std::vector<bool> is_near(observed.points, false);
  std::vector<std::pair<double, std::size_t>> order(observed.points);
  // As pairs compare, but not in three ways.
  const auto is_nearer = [](const auto& a, const auto& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  };
  for (std::size_t i = block.first; i < block.last; ++i) {
    const std::size_t there = observed.cells[observed.points + i];
    for (std::size_t point = 0; point < observed.points; ++point)
      order[point] = {-kernel.between(observed.cells[point], there), point};
    std::ranges::nth_element(order, order.begin() + kNeighbours, is_nearer);
    for (std::size_t k = 0; k < kNeighbours; ++k) is_near[order[k].second] = true;
  }
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < observed.points; ++point) {
    if (is_near[point]) points.push_back(point);
  }
  return points;
}

// The covariances of the points near a block with each other and with the places of the block.
struct NearCovariances {
  std::vector<std::size_t> points;
  MatrixXd with_points;
  MatrixXd with_places;
  VectorXd of_places;  // with themselves

  NearCovariances(const Observed& observed, const GridKernel& kernel, const Block& block,
                  std::vector<std::size_t> near)
      : points(std::move(near)) {
    const auto n = static_cast<Index>(points.size());
    const auto places = static_cast<Index>(block.last - block.first);
    const std::size_t* asked = &observed.cells[observed.points + block.first];
    with_points.resize(n, n);
    with_places.resize(n, places);
    of_places.resize(places);
    for (Index i = 0; i < n; ++i) {
      const std::size_t cell = observed.cells[points[i]];
      for (Index j = 0; j <= i; ++j)
        with_points(i, j) = with_points(j, i) = kernel.between(cell, observed.cells[points[j]]);
      for (Index place = 0; place < places; ++place)
        with_places(i, place) = kernel.between(cell, asked[place]);
    }
    for (Index place = 0; place < places; ++place)
      of_places(place) = kernel.between(asked[place], asked[place]);
  }
};

// These methods have times at the same ones of the near points, and so one factor serves them all.
void judge_group(const Observed& observed, const NearCovariances& near, double own_variance,
                 const Block& block, const std::vector<Index>& rows,
                 const std::vector<std::size_t>& methods, std::span<Moments> moments) {
  const auto n = static_cast<Index>(rows.size());
  MatrixXd covariance = near.with_points(rows, rows);
  const MatrixXd with = near.with_places(rows, Eigen::all);
  for (Index i = 0; i < n; ++i) {
    double noise = 0;
    for (const std::size_t m : methods) noise += observed.noise(near.points[rows[i]], m);
    covariance(i, i) += own_variance + noise / static_cast<double>(methods.size());
  }
  const MatrixXd weights = Eigen::LLT<MatrixXd>(covariance).solve(with);
  for (Index place = 0; place < with.cols(); ++place) {
    const double variance =
        std::max(kLeastVariance, near.of_places(place) - with.col(place).dot(weights.col(place)));
    const std::size_t row = (block.first + static_cast<std::size_t>(place)) * observed.methods;
    for (const std::size_t m : methods) {
      moments[row + m] = {0, variance};
      for (Index i = 0; i < n; ++i)
        moments[row + m].mean += weights(i, place) * observed.log_time(near.points[rows[i]], m);
    }
  }
}

void judge_by_neighbours(const Observed& observed, const GridKernel& kernel,
                         std::vector<std::size_t> points, const Block& block,
                         std::span<Moments> moments) {
  const NearCovariances near(observed, kernel, block, std::move(points));
  std::map<std::vector<Index>, std::vector<std::size_t>> groups;  // rows: methods
  for (std::size_t m = 0; m < observed.methods; ++m) {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < near.points.size(); ++i) {
      if (observed.has(near.points[i], m)) rows.push_back(static_cast<Index>(i));
    }
    groups[std::move(rows)].push_back(m);
  }
  for (const auto& [rows, methods] : groups)
    judge_group(observed, near, kernel.own_variance(), block, rows, methods, moments);
}

// The results of the processes, with the squares of their surprises.
struct Judged {
  std::size_t kernels = 0;
  std::vector<Moments> moments;  // kernels x instances x methods
  std::vector<double> squares;   // by method: the sum of the squares of surprises
  std::vector<double> count;     // and their number

  Judged(std::size_t kernel_count, std::size_t instances, std::size_t methods)
      : kernels(kernel_count),
        moments(kernel_count * instances * methods),
        squares(methods, 0),
        count(methods, 0) {}

  // The factor on a method's variances that makes its surprises usual, drawn towards that of
  // all methods.
  double variance_factor(std::size_t method) const {
    const double surprises = std::accumulate(count.begin(), count.end(), 0.0);
    const double usual =
        surprises > 0 ? std::accumulate(squares.begin(), squares.end(), 0.0) / surprises : 1;
    return (kUsualSurprises * usual + squares[method]) / (kUsualSurprises + count[method]);
  }
};

Judged judge_together(const Observed& observed, std::size_t instances) {
  const std::size_t methods = observed.methods;
  Judged judged(std::size(kBeliefKernels), instances, methods);
  std::vector<GridKernel> kernels;
  for (const Kernel& kernel : kBeliefKernels)
    kernels.emplace_back(observed.grid, kernel, observed.middle);
  in_parallel(methods, methods, [&](std::size_t m) {
    std::vector<double> squares;
    for (std::size_t k = 0; k < judged.kernels; ++k) {
      const ProcessOfPoints process(observed, kernels[k], m);
      std::ranges::copy(process.surprises(), std::back_inserter(squares));
      for (std::size_t i = 0; i < instances; ++i)
        judged.moments[(k * instances + i) * methods + m] = process.moments_at(observed.points + i);
    }
    if (squares.empty()) return;
    std::ranges::sort(squares);
    const double most =
        kMostSurprise * std::max(squares[squares.size() / 2] / kMedianOfSquares, kLeastSurprise);
    for (const double surprise : squares) judged.squares[m] += std::min(surprise, most);
    judged.count[m] = static_cast<double>(squares.size());
  });
  return judged;
}

Judged judge_apart(const Observed& observed, std::size_t instances) {
  const std::size_t methods = observed.methods;
  Judged judged(1, instances, methods);
  const GridKernel kernel(observed.grid, kBeliefKernels[0], observed.middle);
  Kernel level = kBeliefKernels[0];
  level.ranks_trend = level.bytes_trend = level.both_trend = 0;
  const GridKernel without_trends(observed.grid, level, observed.middle);
  const std::vector<Block> blocks = blocks_of(std::span(observed.places).subspan(observed.points));
  in_parallel(blocks.size(), blocks.size(), [&](std::size_t i) {
    judge_by_neighbours(observed, kernel, nearest(observed, without_trends, blocks[i]), blocks[i],
                        judged.moments);
  });
  return judged;
}

// Interpolates linearly in both logarithms between the neighbouring sizes.
class Interpolation {
 public:
  explicit Interpolation(const Observed& observed) : observed_(observed) {
    for (std::size_t i = 0; i < observed.points; ++i) {
      const Instance& instance = observed.places[i].instance;
      points_[{instance.communicator_size, instance.message_size, instance.ranks_per_node}] = i;
      ranks_.push_back(instance.communicator_size);
      bytes_.push_back(instance.message_size);
    }
    for (auto* sizes : {&ranks_, &bytes_}) {
      std::ranges::sort(*sizes);
      sizes->erase(std::unique(sizes->begin(), sizes->end()), sizes->end());
    }
  }

  // Not a number: none of the corners that count has a time.
  double value_at(const Instance& there, std::size_t method) const {
    double sum = 0;
    double weights = 0;
    for (const auto& [ranks, a] : around(ranks_, there.communicator_size)) {
      for (const auto& [bytes, b] : around(bytes_, there.message_size)) {
        const auto point = points_.find({ranks, bytes, there.ranks_per_node});
        if (point == points_.end() || !observed_.has(point->second, method)) continue;
        sum += a * b * observed_.log_time(point->second, method);
        weights += a * b;
      }
    }
    return weights > kLeastCorners ? sum / weights : kNoTime;
  }

 private:
  static std::vector<std::pair<std::uint64_t, double>> around(
      const std::vector<std::uint64_t>& sizes, std::uint64_t size) {
    const auto next = std::ranges::lower_bound(sizes, size);
    if (next == sizes.end()) return {{sizes.back(), 1}};
    if (next == sizes.begin() || *next == size) return {{*next, 1}};
    const double low = octaves(*(next - 1));
    const double share = (octaves(size) - low) / (octaves(*next) - low);
    return {{*(next - 1), 1 - share}, {*next, share}};
  }

  const Observed& observed_;
  std::map<std::array<std::uint64_t, 3>, std::size_t> points_;
  std::vector<std::uint64_t> ranks_;
  std::vector<std::uint64_t> bytes_;
};

// The mean of the processes and of the interpolation; their disagreement counts as uncertainty.
Belief belief_of(const Judged& judged, std::size_t place, std::size_t places, std::size_t method,
                 double interpolated) {
  const std::size_t methods = judged.squares.size();
  std::vector<double> means;
  Moments combined;
  for (std::size_t k = 0; k < judged.kernels; ++k) {
    const Moments& of_kernel = judged.moments[(k * places + place) * methods + method];
    means.push_back(of_kernel.mean);
    combined.mean += of_kernel.mean / static_cast<double>(judged.kernels);
    combined.variance += of_kernel.variance / static_cast<double>(judged.kernels);
  }
  if (!std::isnan(interpolated)) {
    combined.mean += kShareOfInterpolation * (interpolated - combined.mean);
    means.push_back(interpolated);
  }
  for (const double mean : means)
    combined.variance += square(mean - combined.mean) / static_cast<double>(means.size());
  return {combined.mean, std::sqrt(combined.variance * judged.variance_factor(method)), 0};
}

// The share of each method that cannot run at a place, by the measurements nearby. The weight of a
// point is a product of one factor for its ranks and one for its bytes.
class CannotRun {
 public:
  explicit CannotRun(const Observed& observed) : observed_(observed) {
    const std::size_t columns = observed.grid.columns();
    for (std::size_t i = 0; i < observed.points; ++i) {
      std::vector<std::size_t> missing;
      for (std::size_t m = 0; m < observed.methods; ++m) {
        if (!observed.has(i, m)) missing.push_back(m);
      }
      points_[missing].emplace_back(observed.cells[i] / columns, observed.cells[i] % columns);
    }
  }

  std::vector<double> shares_at(const Place& there) const {
    std::vector<double> of_row;
    for (const std::uint64_t size : observed_.grid.communicator_sizes) {
      const double ranks = place_of({.communicator_size = size}).ranks;
      of_row.push_back(std::exp(-std::abs(ranks - there.ranks) / kCannotRunRanks));
    }
    std::vector<double> of_column;
    for (const std::uint64_t size : observed_.grid.message_sizes) {
      const double bytes = place_of({.message_size = size}).bytes;
      of_column.push_back(std::exp(-std::abs(bytes - there.bytes)));
    }
    std::vector<double> shares(observed_.methods, 0);
    double total = 0;
    for (const auto& [missing, points] : points_) {
      double weight = 0;
      for (const auto& [row, column] : points) weight += of_row[row] * of_column[column];
      for (const std::size_t m : missing) shares[m] += weight;
      total += weight;
    }
    for (double& share : shares) share = total > 0 ? share / total : 0;
    return shares;
  }

 private:
  const Observed& observed_;
  // The rows and columns of the points where the same methods have no time, by those methods.
  std::map<std::vector<std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>> points_;
};

// Decided by the known limits of the measured library's algorithms, whatever was measured.
bool cannot_run_there(const Timings& timings, const Method& method, const Instance& instance) {
  const bool openmpi = timings.mpi.starts_with("openmpi");
  if (!openmpi && timings.mpi.find("mpich") == std::string::npos) return false;
  const LibraryAlgorithm* algorithm = find_algorithm(openmpi ? Library::kOpenmpi : Library::kMpich,
                                                     timings.collective, method.algorithm);
  constexpr std::uint32_t kOfRanks = kPowerOfTwo | kEvenRanks | kTwoRanks;
  return algorithm != nullptr &&
         (algorithm->needs & kOfRanks & ~size_facts(instance.communicator_size, 1)) != 0;
}

}  // namespace

std::vector<Belief> beliefs(const Timings& timings, std::span<const Instance> instances) {
  const Observed observed = observe(timings, instances);
  const Judged judged = observed.points <= kMostTogether
                            ? judge_together(observed, instances.size())
                            : judge_apart(observed, instances.size());
  const Interpolation interpolation(observed);
  const CannotRun cannot_run_at(observed);
  const std::size_t methods = timings.methods.size();
  std::vector<Belief> result(instances.size() * methods);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::vector<double> cannot_run =
        cannot_run_at.shares_at(observed.places[observed.points + i]);
    for (std::size_t m = 0; m < methods; ++m) {
      // If another method runs when this one is requested, it has the time of that other method.
      const Method runs = effective_method(timings.methods[m], instances[i]);
      const auto found = std::ranges::find(timings.methods, runs);
      const std::size_t real = found == timings.methods.end()
                                   ? m
                                   : static_cast<std::size_t>(found - timings.methods.begin());
      Belief& belief = result[i * methods + m];
      belief =
          belief_of(judged, i, instances.size(), real, interpolation.value_at(instances[i], real));
      belief.cannot_run =
          cannot_run_there(timings, timings.methods[m], instances[i]) ? 1 : cannot_run[real];
    }
  }
  return result;
}

double chance_slower(const Belief& first, const Belief& second, double fraction, double session) {
  const double deviation = std::hypot(first.deviation, second.deviation, std::sqrt(2) * session);
  const double above = first.mean - second.mean - std::log1p(fraction);
  static const ErrorTail tail;
  double chance = 0;
  for (const ErrorTail::Width& width : tail.widths())
    chance += width.weight * std::erfc(-above / (deviation * width.factor) / std::sqrt(2)) / 2;
  return chance;
}

}  // namespace colltree::surrogate
