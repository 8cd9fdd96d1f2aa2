// SPDX-License-Identifier: BSD-3-Clause
// A Gaussian process given values with their covariances, wherever they lie: what follows for
// others (Rasmussen and Williams 2.23, 2.24), and leave-one-out errors of the values. A campaign
// has one for each method over its grid (GridProcess), a belief one for each method and kernel
// (belief.h).
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "surrogate/kernel.h"

namespace colltree::surrogate {

// By how many standard deviations values miss what others say of them (Rasmussen and Williams 5.12,
// also for groups).
class LeftOut {
 public:
  using Group = std::vector<Eigen::Index>;

  // n^3. `factor`: lower Cholesky factor of the covariance.
  LeftOut(const Eigen::MatrixXd& factor, const Eigen::VectorXd& values);

  // What each misses by, given all others, and the variance of that.
  Eigen::VectorXd variances() const { return precision_.diagonal().cwiseInverse(); }
  Eigen::VectorXd errors() const { return weights_.cwiseProduct(variances()); }
  // Each of the group by all that are not of it.
  Eigen::VectorXd together(const Group& group) const;
  // The same for every group of values of equal size; empty if all values have one size.
  std::vector<double> by_size(const std::function<std::uint64_t(Eigen::Index)>& size) const;
  // Each by all that are not of the group or come after it.
  Eigen::VectorXd in_turn(const Group& group) const;

 private:
  Eigen::MatrixXd precision_;
  Eigen::VectorXd weights_;
};

// The variance of its own of a value with this leave-one-out error and its variance: an outlier
// must not shift the predictions of others.
double own_variance(double error, double variance, const Doubt& doubt);

class Process {
 public:
  Process() = default;
  // The covariance includes the noise of measuring. n^3.
  Process(Eigen::MatrixXd covariance, Eigen::VectorXd values, const Doubt& doubt);

  Eigen::Index size() const { return values_.size(); }
  const Eigen::VectorXd& own_variances() const { return own_variances_; }
  // One more value, with its covariances with the others; `variance` includes `own_variance`. n^2.
  void add(double value, const Eigen::VectorXd& with_others, double variance, double own_variance);

  // Of something whose covariances with the values are a column of `with`: the inner product of
  // `with` and `weights` is its mean, the square of `halved` what the values take of its variance.
  Eigen::VectorXd weights() const { return solved(values_); }
  Eigen::MatrixXd halved(Eigen::MatrixXd with) const;
  Eigen::VectorXd solved(const Eigen::VectorXd& with) const;

  LeftOut left_out() const;  // n^3

 private:
  void find_own_variances(Eigen::MatrixXd covariance, const Doubt& doubt);
  auto factor() const { return factor_.topLeftCorner(size(), size()); }

  Eigen::VectorXd values_;
  Eigen::VectorXd own_variances_;
  Eigen::MatrixXd factor_;  // lower Cholesky factor of the covariance, and room to grow
};

// Over a campaign's grid: predictions for one method at all points from those where it was
// measured. Works on logarithms of times.
class GridProcess {
 public:
  explicit GridProcess(const PredictionGrid& grid);

  std::size_t size() const { return observations_.size(); }

  // A point is observed once; `variance` is that of measuring. Before `condition` it is only kept;
  // after it, the prediction is brought up to date: n^2 + the cost of `covariances`, for n
  // observations. An observation that fits nothing around it has a variance of its own.
  void observe(std::size_t point, double log_time, double variance);

  // Predicts anew, under this kernel, which must live as long: n^3 + n^2 * points.
  void condition(const GridKernel& kernel);
  // How likely it makes the observations (marginal; Rasmussen and Williams 5.4): n^3.
  double log_likelihood(const GridKernel& kernel) const;
  bool conditioned() const { return process_.size() > 0; }

  // Of the time at a point, what the single point has for itself included. At an observed one: what
  // the observation leaves.
  double mean(std::size_t point) const { return mean_.data()[point]; }
  double variance(std::size_t point) const { return variance_.data()[point]; }

  // How many standard deviations each observation misses by what all others say of it. n^3.
  std::vector<double> misses() const;
  // Each observation and what all others say of it. n^3.
  struct Foretold {
    std::size_t point = 0;
    double log_time = 0;
    double mean = 0;
    double deviation = 0;
  };
  std::vector<Foretold> foretold() const;
  // The same by all that are of other ranks, and by all that are of other bytes. n^3.
  std::vector<double> misses_by_size() const;
  // The same of those at the ends of what was observed, each by what lies before them: all that are
  // at fewer ranks or at fewer bytes, and all that are at more of one of them: rows * n^3.
  std::vector<double> misses_at_ends() const;
  // Whether no observation is at as many ranks and bytes, or none at as few.
  bool is_beyond(std::size_t point) const;

  // Of a point's time with that of all points: rows * columns * (rows + columns).
  GridMatrix covariances(std::size_t point) const;

 private:
  struct Observation {
    std::size_t point = 0;
    double log_time = 0;
    double variance = 0;  // of the measurement, of the logarithm
  };

  void predict_means();
  void predict_variances();
  Eigen::MatrixXd covariance_of_observations(const GridKernel& kernel) const;
  double level() const;
  Eigen::VectorXd beside(double level) const;
  Eigen::VectorXd with_observations(std::size_t point, const GridKernel& kernel) const;
  // What the point of an observation has for itself.
  double own_variance(std::size_t observation) const {
    return kernel_->own_variance() +
           process_.own_variances()[static_cast<Eigen::Index>(observation)];
  }
  Eigen::Index place(Eigen::Index observation) const {
    return static_cast<Eigen::Index>(observations_[static_cast<std::size_t>(observation)].point);
  }

  Eigen::Index rows_;
  Eigen::Index columns_;
  const GridKernel* kernel_ = nullptr;
  std::vector<Observation> observations_;
  double level_ = 0;  // mean of the log times when conditioned
  Process process_;   // of the observations beside the level
  GridMatrix mean_;
  GridMatrix variance_;
};

}  // namespace colltree::surrogate
