// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/equals.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "surrogate/constants.h"
#include "surrogate/kernel.h"

namespace colltree::surrogate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Factor = Eigen::LLT<MatrixXd>;

// The first kernel of the beliefs without the terms that could as well be the noise of a job.
constexpr Kernel smooth_kernel() {
  Kernel kernel = kBeliefKernels[0];
  kernel.row = kernel.power_of_two = kernel.column = 0;
  return kernel;
}

// The covariances by each of the two explanations, with several shares; their mean variance is 1.
struct Explanations {
  std::vector<Factor> same;
  std::vector<Factor> different;

  explicit Explanations(const std::vector<Place>& places) {
    const auto n = static_cast<Index>(places.size());
    const Kernel kernel = smooth_kernel();
    const Place middle = middle_of(places);
    MatrixXd smooth(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        smooth(i, j) = covariance_of(kernel, place(places, i), place(places, j), middle);
    }
    smooth /= smooth.diagonal().mean();
    const auto explain = [&](const MatrixXd& noise) {
      same.emplace_back(noise);
      for (const double real : kSharesOfMethod)
        different.emplace_back(real * smooth + (1 - real) * noise);
    };
    explain(MatrixXd::Identity(n, n));
    for (const double octaves : kLengthsOfJob) {
      const MatrixXd job = of_job(places, octaves);
      for (const double share : kSharesOfJob)
        explain(share * job + (1 - share) * MatrixXd::Identity(n, n));
    }
  }

 private:
  static const Place& place(const std::vector<Place>& places, Index i) {
    return places[static_cast<std::size_t>(i)];
  }

  // A job measures its sizes in sequence, so a disturbance lasts for some of them.
  static MatrixXd of_job(const std::vector<Place>& places, double octaves) {
    const auto n = static_cast<Index>(places.size());
    MatrixXd job = MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Place& a = place(places, i);
        const Place& b = place(places, j);
        if (a.instance.communicator_size == b.instance.communicator_size &&
            a.instance.ranks_per_node == b.instance.ranks_per_node)
          job(i, j) = matern_5_2((a.bytes - b.bytes) / octaves);
      }
    }
    return job;
  }
};

// The likelihood with the likeliest of several shares.
struct Likelihood {
  double log = -INFINITY;
  VectorXd squares;  // by method: of its deviations, at a scale of 1
};

Likelihood likeliest(const std::vector<Factor>& factors, const MatrixXd& differences) {
  const auto count = static_cast<double>(differences.size());
  Likelihood best;
  for (const Factor& factor : factors) {
    const VectorXd squares =
        factor.matrixL().solve(differences).colwise().squaredNorm().transpose();
    const double scale = squares.sum() / count;
    const double volume = factor.matrixLLT().diagonal().array().log().sum();
    const double log =
        -count / 2 * std::log(scale) - static_cast<double>(differences.cols()) * volume;
    if (log > best.log) best = {log, squares};
  }
  return best;
}

// Divides by the usual deviation (that of the median) and cuts what is too large to count.
MatrixXd in_usual_deviations(const MatrixXd& differences) {
  std::vector<double> sizes(differences.data(), differences.data() + differences.size());
  for (double& size : sizes) size = std::abs(size);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  const double usual = std::max(kLeastVariance, *middle / std::sqrt(kMedianOfSquares));
  return (differences / usual).cwiseMax(-kMostSpread).cwiseMin(kMostSpread);
}

class Group {
 public:
  Group(const Timings& timings, std::size_t default_column) : default_column_(default_column) {
    const std::size_t points = timings.instances.size();
    const std::size_t step = (points + kMostToCompare - 1) / kMostToCompare;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) members_.push_back(m);
    for (std::size_t i = 0; i < points; i += std::max<std::size_t>(1, step)) {
      places_.push_back(place_of(timings.instances[i]));
      std::vector<double>& row = log_us_.emplace_back();
      for (const Method& method : timings.methods)
        row.push_back(std::log(timings.time_of(i, method).known_us()));
    }
  }

  // Removes methods until the rest are the same: first those that clearly differ from the library's
  // own choice, however noisy the others are, then the method that stands out most, again and
  // again.
  void narrow() {
    // With many points from few jobs each point says less, so the evidence must be stronger.
    const double enough = kEnoughForDifferent *
                          std::max(1.0, static_cast<double>(places_.size()) / kPointsForDifferent);
    std::erase_if(members_, [&](std::size_t m) {
      const auto weighed = m == default_column_ ? std::nullopt : weigh({default_column_, m});
      return weighed && weighed->for_same < -enough;
    });
    while (members_.size() > 1) {
      const auto weighed = weigh(members_);
      if (weighed && weighed->for_same > kEnoughForEqual) return;
      std::erase(members_, most([&](std::size_t m) {
                   const auto position = std::ranges::find(members_, m) - members_.begin();
                   return weighed ? weighed->stands_out(static_cast<Index>(position)) : missing(m);
                 }));
    }
  }

  const std::vector<std::size_t>& members() const { return members_; }

 private:
  struct Weighed {
    double for_same = 0;  // log likelihood: by how much it is likelier that all are the same
    VectorXd stands_out;  // by method
  };

  // None: there are too few points at which all have a time.
  std::optional<Weighed> weigh(const std::vector<std::size_t>& methods) {
    const std::vector<std::size_t> points = common_points(methods);
    std::set<std::uint64_t> communicator_sizes;
    for (const std::size_t i : points)
      communicator_sizes.insert(places_[i].instance.communicator_size);
    // With fewer jobs, the luck of a method looks like a difference between methods.
    if (points.size() < kFewestToCompare || communicator_sizes.size() < kFewestJobsToCompare)
      return std::nullopt;
    const MatrixXd differences = differences_at(points, methods);
    if (differences.cwiseAbs().maxCoeff() < kLeastDifference) return Weighed{INFINITY, {}};
    explain(points);
    const MatrixXd counted = in_usual_deviations(differences);
    const Likelihood same = likeliest(explanations_->same, counted);
    const Likelihood different = likeliest(explanations_->different, counted);
    const auto count = static_cast<double>(methods.size());
    // The differences of all methods add up to zero, so one of them carries no information.
    return Weighed{(same.log - different.log) * (count - 1) / count,
                   same.squares - different.squares};
  }

  std::vector<std::size_t> common_points(const std::vector<std::size_t>& methods) const {
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const bool common =
          std::ranges::none_of(methods, [&](std::size_t m) { return std::isnan(log_us_[i][m]); });
      if (common) points.push_back(i);
    }
    return points;
  }

  double missing(std::size_t method) const {
    return static_cast<double>(std::ranges::count_if(
        log_us_, [&](const std::vector<double>& row) { return std::isnan(row[method]); }));
  }

  // Points x methods, relative to the mean of these methods.
  MatrixXd differences_at(const std::vector<std::size_t>& points,
                          const std::vector<std::size_t>& methods) const {
    MatrixXd values(static_cast<Index>(points.size()), static_cast<Index>(methods.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t m = 0; m < methods.size(); ++m)
        values(static_cast<Index>(i), static_cast<Index>(m)) = log_us_[points[i]][methods[m]];
    }
    const VectorXd level = values.rowwise().mean();
    return values.colwise() - level;
  }

  void explain(const std::vector<std::size_t>& points) {
    if (explanations_ && points == explained_) return;
    std::vector<Place> places;
    for (const std::size_t i : points) places.push_back(places_[i]);
    explanations_.emplace(places);
    explained_ = points;
  }

  // The member of greatest value, never the library's own choice.
  template <typename Value>
  std::size_t most(Value value) const {
    std::size_t found = default_column_;
    for (const std::size_t m : members_) {
      if (m != default_column_ && (found == default_column_ || value(m) > value(found))) found = m;
    }
    return found;
  }

  std::size_t default_column_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> log_us_;  // points x methods
  std::vector<std::size_t> members_;
  std::vector<std::size_t> explained_;  // the points of
  std::optional<Explanations> explanations_;
};

}  // namespace

bool tells_methods_from_jobs(const Timings& timings) {
  if (timings.jobs == Jobs::kShared) return true;
  std::set<std::uint64_t> communicator_sizes;
  for (const Instance& instance : timings.instances)
    communicator_sizes.insert(instance.communicator_size);
  return timings.instances.size() >= kFewestToCompare &&
         communicator_sizes.size() >= kFewestJobsToCompare;
}

std::vector<Method> like_default(const Timings& timings) {
  const auto default_column = timings.default_column();
  if (!default_column) return {};
  Group group(timings, *default_column);
  group.narrow();
  std::vector<Method> methods;
  for (const std::size_t m : group.members()) {
    if (m != *default_column) methods.push_back(timings.methods[m]);
  }
  return methods;
}

}  // namespace colltree::surrogate
