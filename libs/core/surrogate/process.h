// SPDX-License-Identifier: BSD-3-Clause
// A Gaussian process given values and their covariances: predictions for other points (Rasmussen
// and Williams 2.23, 2.24), and leave-one-out errors of the values. A campaign has a process for
// each method over its grid (GridProcess), a belief one for each method and kernel (belief.h).
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "surrogate/kernel.h"

namespace colltree::surrogate {

// Errors of values against their predictions from other values, in standard deviations (Rasmussen
// and Williams 5.12, also for groups).
class LeftOut {
 public:
  using Group = std::vector<Eigen::Index>;

  // `factor` is the lower Cholesky factor of the covariance. Cost: n^3.
  LeftOut(const Eigen::MatrixXd& factor, const Eigen::VectorXd& values);

  // The error of each value given all others, and the variance of that error.
  Eigen::VectorXd variances() const { return precision_.diagonal().cwiseInverse(); }
  Eigen::VectorXd errors() const { return weights_.cwiseProduct(variances()); }
  // Predicts each value of the group from all values outside it.
  Eigen::VectorXd together(const Group& group) const;
  // The same for every group of values of equal size; empty if all values have one size.
  std::vector<double> by_size(const std::function<std::uint64_t(Eigen::Index)>& size) const;
  // Predicts each value from those outside the group and those behind it in the group.
  Eigen::VectorXd in_turn(const Group& group) const;

 private:
  Eigen::MatrixXd precision_;
  Eigen::VectorXd weights_;
};

// The additional variance of a value with this leave-one-out error and its variance, so that an
// outlier does not shift the predictions of others.
double own_variance(double error, double variance, const Doubt& doubt);

class Process {
 public:
  Process() = default;
  // The covariance includes the noise of measuring. Cost: n^3.
  Process(Eigen::MatrixXd covariance, Eigen::VectorXd values, const Doubt& doubt);

  Eigen::Index size() const { return values_.size(); }
  const Eigen::VectorXd& own_variances() const { return own_variances_; }
  // Adds a value, given its covariances with the others; `variance` includes `own_variance`. n^2.
  void add(double value, const Eigen::VectorXd& with_others, double variance, double own_variance);

  // The prediction of a point whose covariances with the values are a column of `with`: the inner
  // product of `with` and `weights` is its mean, and the square of `halved` is what the values take
  // from its variance.
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

// The process of one method over a campaign's grid: predicts the logarithm of its time at all
// points from those where it was measured.
class GridProcess {
 public:
  explicit GridProcess(const PredictionGrid& grid);

  std::size_t size() const { return observations_.size(); }

  // A point is observed once; `variance` is that of measuring. Before `condition` the value is only
  // kept; after it, the prediction is updated: n^2 + the cost of `covariances`, for n observations.
  // An outlier gets an additional variance.
  void observe(std::size_t point, double log_time, double variance);

  // Predicts again, with this kernel, which must outlive the process: n^3 + n^2 * points.
  void condition(const GridKernel& kernel);
  // The marginal log likelihood of the observations (Rasmussen and Williams 5.4): n^3.
  double log_likelihood(const GridKernel& kernel) const;
  bool conditioned() const { return process_.size() > 0; }

  // The prediction at a point, with the variance that a single point has of its own. At an observed
  // point: what the observation leaves.
  double mean(std::size_t point) const { return mean_.data()[point]; }
  double variance(std::size_t point) const { return variance_.data()[point]; }

  // The error of each observation against its prediction from all others, in deviations. n^3.
  std::vector<double> misses() const;
  // Each observation and its prediction from all others. n^3.
  struct Foretold {
    std::size_t point = 0;
    double log_time = 0;
    double mean = 0;
    double deviation = 0;
  };
  std::vector<Foretold> foretold() const;
  // The errors against predictions from all other rows, and from all other columns. n^3.
  std::vector<double> misses_by_size() const;
  // The errors at the ends of the observed sizes, against predictions from what lies before them:
  // all at fewer ranks or fewer bytes, and all at more of only one of them: rows * n^3.
  std::vector<double> misses_at_ends() const;
  // True if no observation has at least as many ranks and bytes, or none has at most as many.
  bool is_beyond(std::size_t point) const;

  // The covariances of one point with all points: rows * columns * (rows + columns).
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
  // The variance that the point of an observation has of its own.
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
