// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/process.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace colltree::surrogate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

LeftOut::LeftOut(const MatrixXd& factor, const VectorXd& values) {
  const MatrixXd root =
      factor.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(factor.rows(), factor.cols()));
  precision_.noalias() = root.transpose() * root.triangularView<Eigen::Lower>();
  weights_ = precision_ * values;
}

VectorXd LeftOut::together(const Group& group) const {
  const MatrixXd covariance = precision_(group, group).inverse();
  return (covariance * weights_(group)).cwiseQuotient(covariance.diagonal().cwiseSqrt());
}

std::vector<double> LeftOut::by_size(const std::function<std::uint64_t(Index)>& size) const {
  std::map<std::uint64_t, Group> groups;
  for (Index i = 0; i < weights_.size(); ++i) groups[size(i)].push_back(i);
  std::vector<double> misses;
  if (groups.size() < 2) return misses;
  for (const auto& [at, group] : groups) {
    const VectorXd its = together(group);
    misses.insert(misses.end(), its.begin(), its.end());
  }
  return misses;
}

// Values that are left out together have the errors that their block of the precision gives. Its
// Cholesky factor holds that of every beginning of the group: the error of the last value of a
// beginning is its entry of the weights solved forwards.
VectorXd LeftOut::in_turn(const Group& group) const {
  const Eigen::LLT<MatrixXd> factor(precision_(group, group));
  return factor.matrixL().solve(weights_(group).eval());
}

double own_variance(double error, double variance, const Doubt& doubt) {
  if (square(error) <= square(doubt.unlikely) * variance) return 0;
  return square(error / doubt.left) - variance;
}

Process::Process(MatrixXd covariance, VectorXd values, const Doubt& doubt)
    : values_(std::move(values)), own_variances_(VectorXd::Zero(size())) {
  factor_ = Eigen::LLT<MatrixXd>(covariance).matrixL();
  find_own_variances(std::move(covariance), doubt);
}

LeftOut Process::left_out() const { return {factor(), values_}; }

void Process::find_own_variances(MatrixXd covariance, const Doubt& doubt) {
  if (size() < static_cast<Index>(kFewestOfMethod)) return;
  for (int round = 0; round < kOwnVarianceRounds; ++round) {
    const LeftOut left_out = this->left_out();
    const VectorXd errors = left_out.errors();
    const VectorXd variances = left_out.variances();
    bool changed = false;
    for (Index i = 0; i < size(); ++i) {
      const double more = own_variance(errors[i], variances[i], doubt);
      if (more <= own_variances_[i] * (kOwnVarianceGrowth - 1) + 1e-9) continue;
      own_variances_[i] += more;
      covariance(i, i) += more;
      changed = true;
    }
    if (!changed) return;
    factor_ = Eigen::LLT<MatrixXd>(covariance).matrixL();
  }
}

void Process::add(double value, const VectorXd& with_others, double variance, double own_variance) {
  const Index n = size();
  const VectorXd row = halved(with_others);
  if (factor_.rows() <= n) factor_.conservativeResize(2 * n + 8, 2 * n + 8);
  factor_.row(n).head(n) = row;
  factor_(n, n) = std::sqrt(std::max(kLeastVariance, variance - row.squaredNorm()));
  values_.conservativeResize(n + 1);
  own_variances_.conservativeResize(n + 1);
  values_[n] = value;
  own_variances_[n] = own_variance;
}

MatrixXd Process::halved(MatrixXd with) const {
  factor().triangularView<Eigen::Lower>().solveInPlace(with);
  return with;
}

VectorXd Process::solved(const VectorXd& with) const {
  return factor().transpose().triangularView<Eigen::Upper>().solve(halved(with).col(0));
}

namespace {

Index index(std::size_t i) { return static_cast<Index>(i); }

}  // namespace

GridProcess::GridProcess(const PredictionGrid& grid)
    : rows_(index(grid.rows())), columns_(index(grid.columns())) {}

void GridProcess::observe(std::size_t point, double log_time, double variance) {
  const double of_measuring = std::max(variance, kLeastMeasurementVariance);
  if (conditioned()) {
    GridMatrix with_all = covariances(point);
    const double surprise = log_time - mean(point);
    const double own_variance_here =
        surrogate::own_variance(surprise, with_all.data()[point] + of_measuring, kCampaignDoubt);
    process_.add(
        log_time - level_, with_observations(point, *kernel_),
        kernel_->between(point, point) + kernel_->own_variance() + own_variance_here + of_measuring,
        own_variance_here);
    with_all.data()[point] += own_variance_here;
    variance_.data()[point] += own_variance_here;
    const double total = with_all.data()[point] + of_measuring;
    mean_ += with_all * (surprise / total);
    variance_ =
        (variance_.array() - with_all.array().square() / total).max(kLeastVariance).matrix();
  }
  observations_.push_back({point, log_time, of_measuring});
}

VectorXd GridProcess::with_observations(std::size_t point, const GridKernel& kernel) const {
  VectorXd values(index(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    values[index(i)] = kernel.between(observations_[i].point, point);
  }
  return values;
}

GridMatrix GridProcess::covariances(std::size_t point) const {
  const VectorXd weights = process_.solved(with_observations(point, *kernel_));
  GridMatrix spread = GridMatrix::Zero(rows_, columns_);
  for (std::size_t i = 0; i < size(); ++i)
    spread.data()[observations_[i].point] -= weights[index(i)];
  spread.data()[point] += 1;
  spread = kernel_->spread(spread);
  for (std::size_t i = 0; i < size(); ++i)
    spread.data()[observations_[i].point] -= own_variance(i) * weights[index(i)];
  spread.data()[point] += kernel_->own_variance();
  return spread;
}

MatrixXd GridProcess::covariance_of_observations(const GridKernel& kernel) const {
  MatrixXd values(index(size()), index(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    values.col(index(i)) = with_observations(observations_[i].point, kernel);
    values(index(i), index(i)) += kernel.own_variance() + observations_[i].variance;
  }
  return values;
}

std::vector<double> GridProcess::misses() const {
  std::vector<double> misses;
  for (const Foretold& prediction : foretold())
    misses.push_back((prediction.log_time - prediction.mean) / prediction.deviation);
  return misses;
}

std::vector<GridProcess::Foretold> GridProcess::foretold() const {
  const LeftOut left_out = process_.left_out();
  const VectorXd errors = left_out.errors();
  const VectorXd variances = left_out.variances();
  std::vector<Foretold> predictions;
  for (std::size_t i = 0; i < size(); ++i) {
    const Observation& observation = observations_[i];
    predictions.push_back({observation.point, observation.log_time,
                           observation.log_time - errors[index(i)],
                           std::sqrt(variances[index(i)])});
  }
  return predictions;
}

bool GridProcess::is_beyond(std::size_t point) const {
  const auto columns = static_cast<std::size_t>(columns_);
  const auto none_at = [&](auto compare) {
    return std::ranges::none_of(observations_, [&](const Observation& observation) {
      return compare(observation.point / columns, point / columns) &&
             compare(observation.point % columns, point % columns);
    });
  };
  return none_at(std::greater_equal()) || none_at(std::less_equal());
}

std::vector<double> GridProcess::misses_by_size() const {
  const LeftOut left_out = process_.left_out();
  std::vector<double> misses = left_out.by_size([&](Index i) { return place(i) / columns_; });
  std::ranges::copy(left_out.by_size([&](Index i) { return place(i) % columns_; }),
                    std::back_inserter(misses));
  return misses;
}

std::vector<double> GridProcess::misses_at_ends() const {
  const LeftOut left_out = process_.left_out();
  std::vector<double> misses;
  for (const int sign : {1, -1}) {  // at the most ranks and bytes, at the fewest
    const auto row = [&](Index i) { return sign * (place(i) / columns_); };
    const auto column = [&](Index i) { return sign * (place(i) % columns_); };
    LeftOut::Group observed(size());
    std::iota(observed.begin(), observed.end(), Index{0});
    std::set<Index> rows;
    for (const Index i : observed) rows.insert(row(i));
    for (const Index first : rows) {
      LeftOut::Group order;
      std::ranges::copy_if(observed, std::back_inserter(order),
                           [&](Index i) { return row(i) >= first; });
      std::ranges::sort(order, std::greater(),
                        [&](Index i) { return std::pair(column(i), row(i)); });
      order.resize(std::min(order.size(), size() / 2));
      const VectorXd errors = left_out.in_turn(order);
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (row(order[k]) == first) misses.push_back(errors[index(k)]);
      }
    }
  }
  return misses;
}

double GridProcess::level() const {
  double sum = 0;
  for (const Observation& observation : observations_) sum += observation.log_time;
  return sum / static_cast<double>(size());
}

VectorXd GridProcess::beside(double level) const {
  VectorXd values(index(size()));
  for (std::size_t i = 0; i < size(); ++i) values[index(i)] = observations_[i].log_time - level;
  return values;
}

double GridProcess::log_likelihood(const GridKernel& kernel) const {
  const Eigen::LLT<MatrixXd> factor(covariance_of_observations(kernel));
  return -0.5 * factor.matrixL().solve(beside(level())).squaredNorm() -
         factor.matrixLLT().diagonal().array().log().sum();
}

void GridProcess::condition(const GridKernel& kernel) {
  level_ = level();
  kernel_ = &kernel;
  process_ = Process(covariance_of_observations(kernel), beside(level_), kCampaignDoubt);
  predict_means();
  predict_variances();
}

void GridProcess::predict_means() {
  const VectorXd weights = process_.weights();
  GridMatrix spread = GridMatrix::Zero(rows_, columns_);
  for (std::size_t i = 0; i < size(); ++i)
    spread.data()[observations_[i].point] += weights[index(i)];
  mean_ = kernel_->spread(spread);
  mean_.array() += level_;
  for (std::size_t i = 0; i < size(); ++i)
    mean_.data()[observations_[i].point] += own_variance(i) * weights[index(i)];
}

void GridProcess::predict_variances() {
  const auto points = static_cast<std::size_t>(rows_ * columns_);
  MatrixXd with(index(size()), index(points));
  variance_.resize(rows_, columns_);
  for (std::size_t p = 0; p < points; ++p) {
    variance_.data()[p] = kernel_->between(p, p) + kernel_->own_variance();
    with.col(index(p)) = with_observations(p, *kernel_);
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t point = observations_[i].point;
    variance_.data()[point] += process_.own_variances()[index(i)];
    with(index(i), index(point)) += own_variance(i);
  }
  const VectorXd taken = process_.halved(std::move(with)).colwise().squaredNorm();
  for (std::size_t p = 0; p < points; ++p)
    variance_.data()[p] = std::max(kLeastVariance, variance_.data()[p] - taken[index(p)]);
}

}  // namespace colltree::surrogate
