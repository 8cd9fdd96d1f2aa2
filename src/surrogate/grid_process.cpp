// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/grid_process.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "base/random.h"
#include "surrogate/constants.h"

namespace colltree::surrogate {

namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// What each observation would be by all others (Rasmussen and Williams 5.12), from the factor of
// their covariance.
struct LeftOut {
  Eigen::VectorXd error;
  Eigen::VectorXd variance;
};

LeftOut leave_one_out(const Eigen::MatrixXd& factor, const Eigen::VectorXd& residuals) {
  const Eigen::MatrixXd root = factor.triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(factor.rows(), factor.cols()));
  const Eigen::VectorXd variance = root.colwise().squaredNorm().cwiseInverse().transpose();
  return {(root.transpose() * (root * residuals)).cwiseProduct(variance), variance};
}

}  // namespace

GridProcess::GridProcess(const PredictionGrid& grid)
    : rows_(index(grid.rows())), columns_(index(grid.columns())) {}

void GridProcess::observe(std::size_t point, double log_time, double variance) {
  Observation observation{point, log_time, std::max(variance, kLeastMeasurementVariance), 0};
  if (!conditioned()) {
    observations_.push_back(observation);
    return;
  }
  GridMatrix with_all = covariances(point);
  const double surprise = log_time - mean(point);
  observation.own_variance = std::max(0.0, surprise * surprise / (kUnlikely * kUnlikely) -
                                               with_all.data()[point] - observation.variance);
  with_all.data()[point] += observation.own_variance;
  const double total = with_all.data()[point] + observation.variance;
  append(observation, with_observations(point));
  variance_.data()[point] += observation.own_variance;
  mean_ += with_all * (surprise / total);
  variance_ = (variance_.array() - with_all.array().square() / total).max(kLeastVariance).matrix();
}

void GridProcess::append(const Observation& observation, const Eigen::VectorXd& with_others) {
  const Eigen::Index n = index(observations_.size());
  if (factor_.rows() <= n) factor_.conservativeResize(2 * n + 8, 2 * n + 8);
  const Eigen::VectorXd row = factor().triangularView<Eigen::Lower>().solve(with_others);
  const double own = kernel_->between(observation.point, observation.point) +
                     kernel_->quirk_variance() + observation.own_variance + observation.variance;
  factor_.row(n).head(n) = row;
  factor_(n, n) = std::sqrt(std::max(kLeastVariance, own - row.squaredNorm()));
  observations_.push_back(observation);
}

Eigen::VectorXd GridProcess::with_observations(std::size_t point) const {
  Eigen::VectorXd values(index(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    values[index(i)] = kernel_->between(observations_[i].point, point);
  }
  return values;
}

GridMatrix GridProcess::covariances(std::size_t point) const {
  Eigen::VectorXd weights = with_observations(point);
  factor().triangularView<Eigen::Lower>().solveInPlace(weights);
  factor().transpose().triangularView<Eigen::Upper>().solveInPlace(weights);
  GridMatrix spread = GridMatrix::Zero(rows_, columns_);
  for (std::size_t i = 0; i < size(); ++i)
    spread.data()[observations_[i].point] -= weights[index(i)];
  spread.data()[point] += 1;
  spread = kernel_->spread(spread);
  for (std::size_t i = 0; i < size(); ++i) {
    const Observation& one = observations_[i];
    spread.data()[one.point] -= (kernel_->quirk_variance() + one.own_variance) * weights[index(i)];
  }
  spread.data()[point] += kernel_->quirk_variance();
  return spread;
}

Eigen::MatrixXd GridProcess::covariance_of_observations() const {
  Eigen::MatrixXd values(index(size()), index(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    const Observation& one = observations_[i];
    for (std::size_t j = 0; j < i; ++j) {
      values(index(i), index(j)) = values(index(j), index(i)) =
          kernel_->between(one.point, observations_[j].point);
    }
    values(index(i), index(i)) = kernel_->between(one.point, one.point) +
                                 kernel_->quirk_variance() + one.own_variance + one.variance;
  }
  return values;
}

Eigen::VectorXd GridProcess::residuals() const {
  Eigen::VectorXd values(index(size()));
  for (std::size_t i = 0; i < size(); ++i) values[index(i)] = observations_[i].log_time - level_;
  return values;
}

std::vector<double> GridProcess::misses() const {
  const Eigen::Index n = index(conditioned_on_);
  const LeftOut left_out = leave_one_out(factor_.topLeftCorner(n, n), residuals().head(n));
  const Eigen::ArrayXd misses = left_out.error.array() / left_out.variance.array().sqrt();
  return {misses.begin(), misses.end()};
}

bool GridProcess::is_beyond(std::size_t point) const {
  const auto columns = static_cast<std::size_t>(columns_);
  const auto none_at = [&](auto compare) {
    return std::ranges::none_of(observations_, [&](const Observation& one) {
      return compare(one.point / columns, point / columns) &&
             compare(one.point % columns, point % columns);
    });
  };
  return none_at(std::greater_equal()) || none_at(std::less_equal());
}

std::vector<double> GridProcess::misses_by_few(std::size_t kept, std::uint64_t seed) const {
  if (conditioned_on_ <= kept) return {};
  const std::vector<std::size_t> order = SeededRandom(seed).permutation(conditioned_on_);
  const std::vector<Eigen::Index> known(order.begin(), order.begin() + std::ptrdiff_t(kept));
  const std::vector<Eigen::Index> others(order.begin() + std::ptrdiff_t(kept), order.end());
  const Eigen::MatrixXd covariance = covariance_of_observations();
  const Eigen::VectorXd values = residuals();
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance(known, known));
  const Eigen::MatrixXd spread = factor.matrixL().solve(covariance(known, others).eval());
  const Eigen::VectorXd expected =
      spread.transpose() * factor.matrixL().solve(values(known).eval());
  const Eigen::ArrayXd variance =
      covariance.diagonal()(others).array() - spread.colwise().squaredNorm().transpose().array();
  const Eigen::ArrayXd misses =
      (values(others) - expected).array() / variance.max(kLeastVariance).sqrt();
  return {misses.begin(), misses.end()};
}

// Observations that are held out together miss by the block of the precision that is theirs. In an
// order in which each end of what was observed is a beginning, its factor has them all: the last of
// a beginning misses by its number of the weights that are solved forwards.
std::vector<double> GridProcess::misses_at_ends() const {
  const Eigen::Index n = index(conditioned_on_);
  const Eigen::MatrixXd root = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(n, n));
  const Eigen::MatrixXd precision = root.transpose() * root;
  const Eigen::VectorXd weights = precision * residuals().head(n);
  std::vector<double> misses;
  for (const int sign : {1, -1}) {  // at the most ranks and bytes, at the fewest
    const auto row = [&](Eigen::Index i) { return sign * (place(i) / columns_); };
    const auto column = [&](Eigen::Index i) { return sign * (place(i) % columns_); };
    std::set<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < n; ++i) rows.insert(row(i));
    for (const Eigen::Index first : rows) {
      std::vector<Eigen::Index> order;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (row(i) >= first) order.push_back(i);
      }
      std::ranges::sort(order, std::greater(),
                        [&](Eigen::Index i) { return std::pair(column(i), row(i)); });
      order.resize(std::min(order.size(), conditioned_on_ / 2));
      const Eigen::LLT<Eigen::MatrixXd> factor(precision(order, order));
      const Eigen::VectorXd solved = factor.matrixL().solve(weights(order).eval());
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (row(order[k]) == first) misses.push_back(solved[index(k)]);
      }
    }
  }
  return misses;
}

// From what each observation would be by all others.
void GridProcess::find_own_variances() {
  for (Observation& one : observations_) one.own_variance = 0;
  if (size() < kFewestOfMethod) return;
  for (int round = 0; round < kOwnVarianceRounds; ++round) {
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance_of_observations());
    const LeftOut left_out = leave_one_out(factor.matrixL(), residuals());
    bool changed = false;
    for (std::size_t i = 0; i < size(); ++i) {
      Observation& one = observations_[i];
      const double error = left_out.error[index(i)];
      const double wanted = error * error / (kUnlikely * kUnlikely) -
                            (left_out.variance[index(i)] - one.own_variance);
      if (wanted <= one.own_variance * kOwnVarianceGrowth + 1e-9) continue;
      one.own_variance = wanted;
      changed = true;
    }
    if (!changed) return;
  }
}

void GridProcess::condition(const GridKernel& kernel) {
  kernel_ = &kernel;
  level_ = 0;
  for (const Observation& one : observations_) level_ += one.log_time / static_cast<double>(size());
  find_own_variances();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance_of_observations());
  factor_ = cholesky.matrixL();
  conditioned_on_ = size();
  const Eigen::VectorXd weights = cholesky.solve(residuals());
  GridMatrix spread = GridMatrix::Zero(rows_, columns_);
  for (std::size_t i = 0; i < size(); ++i)
    spread.data()[observations_[i].point] += weights[index(i)];
  mean_ = kernel.spread(spread);
  mean_.array() += level_;
  const auto points = static_cast<std::size_t>(rows_ * columns_);
  Eigen::MatrixXd with(index(size()), index(points));
  variance_.resize(rows_, columns_);
  for (std::size_t p = 0; p < points; ++p) {
    variance_.data()[p] = kernel.between(p, p) + kernel.quirk_variance();
    with.col(index(p)) = with_observations(p);
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const Observation& one = observations_[i];
    const double own = kernel.quirk_variance() + one.own_variance;
    mean_.data()[one.point] += own * weights[index(i)];
    variance_.data()[one.point] += one.own_variance;
    with(index(i), index(one.point)) += own;
  }
  factor().triangularView<Eigen::Lower>().solveInPlace(with);
  for (std::size_t p = 0; p < points; ++p) {
    double& variance = variance_.data()[p];
    variance = std::max(kLeastVariance, variance - with.col(index(p)).squaredNorm());
  }
}

namespace {

constexpr auto kOfPlacements = static_cast<std::size_t>(KernelParameter::kPlacements);

using Observations = std::vector<GridProcess::Observation>;

std::vector<Observations> sample(const std::vector<GridProcess>& methods, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Observations> samples;
  for (const std::size_t m : random.permutation(methods.size())) {
    if (samples.size() == kFitMethods) break;
    Observations some = methods[m].observations();
    if (some.size() < kFewestToFit) continue;
    random.shuffle(some);
    some.resize(std::min(some.size(), kFitObservations));
    samples.push_back(std::move(some));
  }
  return samples;
}

double log_likelihood(const GridKernel& kernel, const Observations& observations) {
  const auto n = static_cast<Eigen::Index>(observations.size());
  Eigen::MatrixXd covariance(n, n);
  Eigen::VectorXd residual(n);
  double level = 0;
  for (const auto& one : observations) level += one.log_time / static_cast<double>(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& one = observations[static_cast<std::size_t>(i)];
    residual[i] = one.log_time - level;
    for (Eigen::Index j = 0; j <= i; ++j) {
      covariance(i, j) = kernel.between(one.point, observations[static_cast<std::size_t>(j)].point);
    }
    covariance(i, i) += kernel.quirk_variance() + one.own_variance + one.variance;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  return -0.5 * factor.matrixL().solve(residual).squaredNorm() -
         factor.matrixLLT().diagonal().array().log().sum();
}

// With what is known of other systems, so that few observations do not lead astray.
double plausibility(const PredictionGrid& grid, const std::vector<Observations>& samples,
                    const KernelParameters& parameters) {
  static const KernelParameters usual = usual_kernel_parameters();
  static const KernelParameters spread = spread_of_kernel_parameters();
  const GridKernel kernel(grid, parameters);
  double sum = 0;
  for (const Observations& observations : samples) sum += log_likelihood(kernel, observations);
  for (std::size_t i = 0; i < kKernelParameters; ++i) {
    const double away = (parameters[i] - usual[i]) / spread[i];
    sum -= 0.5 * away * away;
  }
  return std::isfinite(sum) ? sum : -1e300;
}

}  // namespace

KernelParameters fit_kernel(const PredictionGrid& grid, const std::vector<GridProcess>& methods,
                            const KernelParameters& start, std::uint64_t seed) {
  const std::vector<Observations> samples = sample(methods, seed);
  KernelParameters best = start;
  if (samples.empty()) return best;
  double plausible = plausibility(grid, samples, best);
  double step = kFirstStep;
  for (int round = 0; round < kFitRounds && step >= kLeastStep; ++round) {
    bool better = false;
    for (std::size_t i = 0; i < kKernelParameters; ++i) {
      if (i == kOfPlacements && grid.ranks_per_node.empty()) continue;
      for (const double change : {step, -step}) {
        KernelParameters tried = best;
        tried[i] += change;
        const double value = plausibility(grid, samples, tried);
        if (value <= plausible + 1e-6) continue;
        plausible = value;
        best = tried;
        better = true;
        break;
      }
    }
    if (!better) step /= 2;
  }
  return best;
}

}  // namespace colltree::surrogate
