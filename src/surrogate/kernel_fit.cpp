// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/kernel_fit.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace colltree {

namespace {

constexpr std::size_t kMostMethods = 10;
constexpr std::size_t kMostObservations = 80;
constexpr std::size_t kFewestObservations = 4;
constexpr auto kOfPlacements = static_cast<std::size_t>(KernelParameter::kPlacements);

using Observations = std::vector<GridProcess::Observation>;

std::vector<Observations> sample(const std::vector<GridProcess>& methods, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Observations> samples;
  for (const std::size_t m : random.permutation(methods.size())) {
    if (samples.size() == kMostMethods) break;
    Observations some = methods[m].observations();
    if (some.size() < kFewestObservations) continue;
    random.shuffle(some);
    some.resize(std::min(some.size(), kMostObservations));
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
  constexpr int kRounds = 6;
  constexpr double kFirstStep = 0.6;
  constexpr double kLeastStep = 0.1;
  const std::vector<Observations> samples = sample(methods, seed);
  KernelParameters best = start;
  if (samples.empty()) return best;
  double plausible = plausibility(grid, samples, best);
  double step = kFirstStep;
  for (int round = 0; round < kRounds && step >= kLeastStep; ++round) {
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

}  // namespace colltree
