// SPDX-License-Identifier: BSD-3-Clause
// A Gaussian process over a campaign's grid: what the times of one method, measured at some points,
// say of all others. Works on logarithms of times.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "surrogate/grid_kernel.h"

namespace colltree::surrogate {

class GridProcess {
 public:
  explicit GridProcess(const PredictionGrid& grid);

  struct Observation {
    std::size_t point = 0;
    double log_time = 0;
    double variance = 0;  // of the measurement, of the logarithm
    // What this point has for itself beyond the quirk of the kernel, so that one time that fits
    // nothing around it does not bend what is predicted for the neighbours.
    double own_variance = 0;
  };
  const std::vector<Observation>& observations() const { return observations_; }
  std::size_t size() const { return observations_.size(); }

  // A point is observed once. Before `condition` it is only kept; after it, the prediction is
  // brought up to date: n^2 + the cost of `covariances`, for n observations.
  void observe(std::size_t point, double log_time, double variance);

  // Predicts anew, under this kernel, which must live as long: n^3 + n^2 * points.
  void condition(const GridKernel& kernel);
  bool conditioned() const { return kernel_ != nullptr; }

  // Of the time at a point, its quirk included. At an observed one: what the observation leaves.
  double mean(std::size_t point) const { return mean_.data()[point]; }
  double variance(std::size_t point) const { return variance_.data()[point]; }

  // How many standard deviations each observation misses by what all others say of it, as they were
  // at the latest `condition` (leave one out; Rasmussen and Williams 5.12).
  // n^3.
  std::vector<double> misses() const;

  // The same of all but `kept` observations, picked at random, by these alone: kept^2 * n + n^2.
  std::vector<double> misses_by_few(std::size_t kept, std::uint64_t seed) const;
  // The same of those at the ends of what was observed, each by what lies before them: all that are
  // at fewer ranks or at fewer bytes, and all that are at more of one of them: rows * n^3.
  std::vector<double> misses_at_ends() const;
  // Whether no observation is at as many ranks and bytes, or none at as few.
  bool is_beyond(std::size_t point) const;

  // Of a point's time with that of all points: rows * columns * (rows + columns).
  GridMatrix covariances(std::size_t point) const;

 private:
  void find_own_variances();
  Eigen::MatrixXd covariance_of_observations() const;
  Eigen::VectorXd residuals() const;
  Eigen::VectorXd with_observations(std::size_t point) const;
  void append(const Observation& observation, const Eigen::VectorXd& with_others);
  auto factor() const {
    const auto n = static_cast<Eigen::Index>(observations_.size());
    return factor_.topLeftCorner(n, n);
  }

  Eigen::Index place(Eigen::Index observation) const {
    return static_cast<Eigen::Index>(observations_[static_cast<std::size_t>(observation)].point);
  }

  Eigen::Index rows_;
  Eigen::Index columns_;
  std::vector<Observation> observations_;
  double level_ = 0;  // mean of the log times when conditioned
  const GridKernel* kernel_ = nullptr;
  Eigen::MatrixXd factor_;          // lower Cholesky factor of the covariance of the observations
  std::size_t conditioned_on_ = 0;  // number of observations, from the first
  GridMatrix mean_;
  GridMatrix variance_;
};

// The parameters of the kernel that make the measured times likely (marginal likelihood; Rasmussen
// and Williams 5.4), those of all methods together.

// From `start` on, by a pattern search; deterministic for a seed, which picks the methods and the
// observations that are looked at where there are many. About 0.1 s.
KernelParameters fit_kernel(const PredictionGrid& grid, const std::vector<GridProcess>& methods,
                            const KernelParameters& start, std::uint64_t seed);

}  // namespace colltree::surrogate
