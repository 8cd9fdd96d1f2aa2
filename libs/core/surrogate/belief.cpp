// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/belief.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.h"
#include "base/work.h"
#include "coll/catalogue.h"
#include "coll/library_algorithms.h"
#include "surrogate/constants.h"
#include "surrogate/kernel.h"
#include "surrogate/nearby.h"
#include "surrogate/observed.h"
#include "surrogate/process.h"
#include "surrogate/tail.h"

namespace colltree::surrogate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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
  Judged judged(1, instances, observed.methods);
  judged.moments = moments_by_neighbours(observed);
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
      const std::size_t real = index_of(timings.methods, runs).value_or(m);
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
