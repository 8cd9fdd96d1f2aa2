// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/belief.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>

#include "base/work.h"
#include "coll/catalogue.h"
#include "coll/library_algorithms.h"
#include "timings/instance_grid.h"

namespace colltree::surrogate {

namespace {

double tun(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Place {
  double ranks = 0;  // log2
  double bytes = 0;  // log2 of bytes + 16
  double per_node = 0;
  bool power_of_two = false;
  std::uint64_t communicator_size = 0;
  std::uint64_t message_size = 0;
};

Place place_of(const Instance& at) {
  return {std::log2(static_cast<double>(at.communicator_size)),
          std::log2(static_cast<double>(at.message_size) + 16),
          at.ranks_per_node == 0 ? 0 : std::log2(static_cast<double>(at.ranks_per_node)),
          std::has_single_bit(at.communicator_size), at.communicator_size, at.message_size};
}

double matern52(double distance) {
  const double d = std::sqrt(5.0) * std::abs(distance);
  return (1 + d + d * d / 3) * std::exp(-d);
}

double matern32(double distance) {
  const double d = std::sqrt(3.0) * std::abs(distance);
  return (1 + d) * std::exp(-d);
}

struct Kernel {
  double level, ranks_trend, bytes_trend;
  double far, far_ranks, far_bytes;
  double near, near_ranks, near_bytes;
  double row, power, column;
  double noise;

  double operator()(const Place& a, const Place& b, const Place& middle) const {
    const double du = a.ranks - b.ranks;
    const double dv = a.bytes - b.bytes;
    const double placed = std::exp(-std::abs(a.per_node - b.per_node) / 2);
    const double along_bytes = matern52(dv / far_bytes);
    double sum = level * level +
                 ranks_trend * ranks_trend * (a.ranks - middle.ranks) * (b.ranks - middle.ranks) +
                 bytes_trend * bytes_trend * (a.bytes - middle.bytes) * (b.bytes - middle.bytes);
    sum += placed * (far * far * matern52(du / far_ranks) * along_bytes +
                     near * near * matern32(du / near_ranks) * matern32(dv / near_bytes));
    if (a.communicator_size == b.communicator_size) sum += placed * row * row * along_bytes;
    if (a.power_of_two && b.power_of_two) sum += placed * power * power * along_bytes;
    if (a.message_size == b.message_size) sum += placed * column * column * matern52(du / 3);
    return sum;
  }
};

std::array<Kernel, 3> kernels() {
  const double row = tun("K_ROW", 0.15), pow = tun("K_POW", 0.15), col = tun("K_COL", 0.05);
  const double far = tun("K_FAR", 0.46), near = tun("K_NEAR", 0.13), noise = tun("K_NOISE", 0.05);
  const double fr = tun("K_FR", 3.2), fb = tun("K_FB", 5), nr = tun("K_NR", 1.4), nb = tun("K_NB", 1.1);
  const double lr = tun("K_LR", 5.5), lb = tun("K_LB", 8), l2r = tun("K_L2R", 3), l2b = tun("K_L2B", 2.2);
  return {Kernel{0.3, 0.06, 0.03, far, fr, fb, near, nr, nb, row, pow, col, noise},
          Kernel{0.3, 0.06, 0.03, far, lr, lb, near, l2r, l2b, row, pow, col, noise},
          Kernel{0.3, 0.01, 0.005, far, fr, fb, near, nr, nb, row, pow, col, 2 * noise}};
}

// Observations of one table: D = log time - common level.
struct Observed {
  std::vector<Place> places;
  std::vector<Instance> instances;
  std::size_t methods = 0;
  std::vector<double> value;     // points x methods; NaN: none
  std::vector<double> variance;  // of its measurement
  Place middle;

  std::size_t points() const { return places.size(); }
  double at(std::size_t point, std::size_t method) const { return value[point * methods + method]; }
};

double variance_of(const Time& time) {
  const auto interval = time.interval();
  if (!interval || interval->low <= 0) return 0;
  const double half = (std::log(interval->high) - std::log(interval->low)) / (2 * 1.96);
  return half * half;
}

void remove_levels(Observed& observed) {
  std::vector<double> level(observed.points(), 0);
  std::vector<double> method(observed.methods, 0);
  const auto residual = [&](std::size_t i, std::size_t m) {
    return observed.at(i, m) - level[i] - method[m];
  };
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < observed.points(); ++i) {
      double sum = 0, count = 0;
      for (std::size_t m = 0; m < observed.methods; ++m)
        if (!std::isnan(observed.at(i, m))) sum += residual(i, m), ++count;
      if (count > 0) level[i] += sum / count;
    }
    for (std::size_t m = 0; m < observed.methods; ++m) {
      double sum = 0, count = 0;
      for (std::size_t i = 0; i < observed.points(); ++i)
        if (!std::isnan(observed.at(i, m))) sum += residual(i, m), ++count;
      if (count > 0) method[m] += sum / count;
    }
  }
  for (std::size_t i = 0; i < observed.points(); ++i) {
    for (std::size_t m = 0; m < observed.methods; ++m) observed.value[i * observed.methods + m] -= level[i];
  }
}

Observed observe(const Timings& timings) {
  Observed observed;
  observed.methods = timings.methods.size();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    observed.instances.push_back(timings.instances[i]);
    observed.places.push_back(place_of(timings.instances[i]));
    for (const Method& method : timings.methods) {
      const Time time = timings.time_of(i, method);
      observed.value.push_back(std::log(time.known_us()));
      observed.variance.push_back(time.is_impossible() ? 0 : variance_of(time));
    }
  }
  remove_levels(observed);
  for (const Place& place : observed.places) {
    observed.middle.ranks += place.ranks / static_cast<double>(observed.points());
    observed.middle.bytes += place.bytes / static_cast<double>(observed.points());
  }
  return observed;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

double variance_at(const Observed& observed, std::size_t point, std::size_t method) {
  return observed.variance[point * observed.methods + method];
}

// The process of one method on all points where it has a time.
class Process {
 public:
  Process(const Observed& observed, const Kernel& kernel, std::size_t method)
      : observed_(observed), kernel_(kernel) {
    for (std::size_t point = 0; point < observed.points(); ++point)
      if (!std::isnan(observed.at(point, method))) points_.push_back(point);
    const auto n = static_cast<Index>(points_.size());
    covariance_.resize(n, n);
    values_.resize(n);
    for (Index i = 0; i < n; ++i) {
      values_(i) = observed.at(points_[i], method);
      for (Index j = 0; j <= i; ++j)
        covariance_(i, j) = covariance_(j, i) = kernel(place(i), place(j), observed.middle);
      covariance_(i, i) += kernel.noise * kernel.noise + variance_at(observed, points_[i], method);
    }
    condition();
    doubt_the_unlikely();
  }

  Moments at(const Place& there) const {
    const auto n = static_cast<Index>(points_.size());
    VectorXd with(n);
    for (Index i = 0; i < n; ++i) with(i) = kernel_(place(i), there, observed_.middle);
    const double own = kernel_(there, there, observed_.middle);
    if (n == 0) return {0, own};
    const VectorXd half = factor_.matrixL().solve(with);
    return {with.dot(weights_), std::max(1e-8, own - half.squaredNorm())};
  }

  // Squares of how many deviations each point misses by, when its communicator size is left out, and when its message size is.
  void surprises(std::vector<double>& squares) const {
    const auto n = static_cast<Index>(points_.size());
    if (n < 4) return;
    const MatrixXd inverse = factor_.solve(MatrixXd::Identity(n, n));
    for (const bool rows : {true, false}) {
      std::map<std::uint64_t, std::vector<Index>> groups;
      for (Index i = 0; i < n; ++i)
        groups[rows ? place(i).communicator_size : place(i).message_size].push_back(i);
      if (groups.size() < 2) continue;
      for (const auto& [size, group] : groups) {
        const MatrixXd covariance = inverse(group, group).inverse();
        const VectorXd misses = covariance * weights_(group);
        for (Index a = 0; a < misses.size(); ++a)
          squares.push_back(misses(a) * misses(a) / covariance(a, a));
      }
    }
  }

 private:
  void condition() {
    factor_.compute(covariance_);
    weights_ = factor_.solve(values_);
  }

  // A time that fits nothing around it keeps the excess for itself and does not bend its neighbours.
  void doubt_the_unlikely() {
    const double unlikely = tun("UNLIKELY", 6);
    const auto n = static_cast<Index>(points_.size());
    for (int round = 0; round < static_cast<int>(tun("ROUNDS", 3)) && n > 3; ++round) {
      const MatrixXd inverse = factor_.solve(MatrixXd::Identity(n, n));
      bool any = false;
      for (Index i = 0; i < n; ++i) {
        const double variance = 1 / inverse(i, i);
        const double miss = weights_(i) * variance;
        const double excess = miss * miss - unlikely * unlikely * variance;
        if (excess <= 0.1 * variance) continue;
        covariance_(i, i) += excess;
        any = true;
      }
      if (!any) return;
      condition();
    }
  }

  const Place& place(Index i) const { return observed_.places[points_[static_cast<std::size_t>(i)]]; }

  const Observed& observed_;
  const Kernel& kernel_;
  std::vector<std::size_t> points_;
  MatrixXd covariance_;
  VectorXd values_;
  VectorXd weights_;
  Eigen::LLT<MatrixXd> factor_;
};

// Linear in both logarithms between the sizes around; NaN where no corner has the method.
class Interpolation {
 public:
  explicit Interpolation(const Observed& observed) : observed_(observed) {
    for (std::size_t i = 0; i < observed.points(); ++i) {
      const Instance& at = observed.instances[i];
      index_[{at.communicator_size, at.message_size}].push_back(i);
      ranks_.push_back(at.communicator_size);
      bytes_.push_back(at.message_size);
    }
    for (auto* sizes : {&ranks_, &bytes_}) {
      std::ranges::sort(*sizes);
      sizes->erase(std::ranges::unique(*sizes).begin(), sizes->end());
    }
  }

  double at(const Instance& there, std::size_t method) const {
    double sum = 0, weights = 0;
    for (const auto& [ranks, a] : around(ranks_, there.communicator_size)) {
      for (const auto& [bytes, b] : around(bytes_, there.message_size)) {
        const auto found = index_.find({ranks, bytes});
        if (found == index_.end()) continue;
        for (const std::size_t i : found->second) {
          if (there.ranks_per_node != observed_.instances[i].ranks_per_node && found->second.size() > 1) continue;
          const double value = observed_.at(i, method);
          if (std::isnan(value)) continue;
          sum += a * b * value;
          weights += a * b;
        }
      }
    }
    return weights > 0.2 ? sum / weights : NAN;
  }

 private:
  using Weighted = std::vector<std::pair<std::uint64_t, double>>;
  static Weighted around(const std::vector<std::uint64_t>& sizes, std::uint64_t size) {
    const auto next = std::ranges::lower_bound(sizes, size);
    if (next == sizes.end()) return {{sizes.back(), 1}};
    if (next == sizes.begin() || *next == size) return {{*next, 1}};
    const double low = octaves(*(next - 1));
    const double share = (octaves(size) - low) / (octaves(*next) - low);
    return {{*(next - 1), 1 - share}, {*next, share}};
  }

  const Observed& observed_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::size_t>> index_;
  std::vector<std::uint64_t> ranks_;
  std::vector<std::uint64_t> bytes_;
};

double share_that_cannot_run(const Observed& observed, const Place& there, std::size_t method) {
  double cannot = 0, all = 0;
  for (std::size_t i = 0; i < observed.points(); ++i) {
    const Place& place = observed.places[i];
    const double weight = std::exp(-std::abs(place.ranks - there.ranks) / tun("Q_R", 0.7) -
                                   std::abs(place.bytes - there.bytes));
    all += weight;
    if (std::isnan(observed.at(i, method))) cannot += weight;
  }
  return all > 0 ? cannot / all : 0;
}

// What the Open MPI or MPICH that was measured is known to need.
bool is_known_to_fail(const Timings& timings, const Method& method, const Instance& at) {
  const bool openmpi = timings.mpi.starts_with("openmpi");
  if (!openmpi && timings.mpi.find("mpich") == std::string::npos) return false;
  const LibraryAlgorithm* algorithm = find_algorithm(openmpi ? Library::kOpenmpi : Library::kMpich,
                                                     timings.collective, method.algorithm);
  if (algorithm == nullptr) return false;
  constexpr std::uint32_t kOfRanks = kPowerOfTwo | kEvenRanks | kTwoRanks;
  return (algorithm->needs & kOfRanks & ~size_facts(at.communicator_size, 1)) != 0;
}

constexpr std::size_t kMostPoints = 256;  // that are taken together
constexpr std::size_t kNeighbours = 100;  // of each instance where there are more

std::vector<Index> nearest(const Observed& observed, const Kernel& kernel, const Place& there) {
  std::vector<std::pair<double, Index>> near(observed.points());
  for (std::size_t i = 0; i < near.size(); ++i)
    near[i] = {-kernel(observed.places[i], there, there), static_cast<Index>(i)};
  std::ranges::nth_element(near, near.begin() + kNeighbours);
  std::vector<Index> points;
  for (std::size_t i = 0; i < kNeighbours; ++i) points.push_back(near[i].second);
  std::ranges::sort(points);
  return points;
}

// All methods at one instance by the points nearest to it; methods that have times at the same of
// these share a factor.
void judge_by_neighbours(const Observed& observed, const Kernel& kernel, const Place& there,
                         std::span<Moments> moments) {
  const std::vector<Index> near = nearest(observed, kernel, there);
  std::map<std::vector<Index>, std::vector<std::size_t>> groups;
  for (std::size_t m = 0; m < observed.methods; ++m) {
    std::vector<Index> points;
    for (const Index i : near)
      if (!std::isnan(observed.at(static_cast<std::size_t>(i), m))) points.push_back(i);
    groups[std::move(points)].push_back(m);
  }
  const double own = kernel(there, there, observed.middle);
  for (const auto& [points, methods] : groups) {
    const auto n = static_cast<Index>(points.size());
    for (const std::size_t m : methods) moments[m] = {0, own};
    if (n == 0) continue;
    MatrixXd covariance(n, n);
    VectorXd with(n);
    MatrixXd values(n, static_cast<Index>(methods.size()));
    for (Index i = 0; i < n; ++i) {
      const auto point = static_cast<std::size_t>(points[i]);
      for (Index j = 0; j <= i; ++j)
        covariance(i, j) = covariance(j, i) = kernel(observed.places[point], observed.places[points[j]], observed.middle);
      double variance = 0;
      for (std::size_t m = 0; m < methods.size(); ++m) {
        values(i, static_cast<Index>(m)) = observed.at(point, methods[m]);
        variance += variance_at(observed, point, methods[m]) / static_cast<double>(methods.size());
      }
      covariance(i, i) += kernel.noise * kernel.noise + variance;
      with(i) = kernel(observed.places[point], there, observed.middle);
    }
    const Eigen::LLT<MatrixXd> factor(covariance);
    const VectorXd weights = factor.solve(with);
    const double variance = std::max(1e-8, own - with.dot(weights));
    for (std::size_t m = 0; m < methods.size(); ++m)
      moments[methods[m]] = {weights.dot(values.col(static_cast<Index>(m))), variance};
  }
}

// By instance and method the moments of each process.
struct Judged {
  std::vector<Moments> moments;         // kernels x instances x methods
  std::vector<double> surprise;         // by method: sum of squares, and their number
  std::vector<double> surprises;
};

Judged judge_together(const Observed& observed, std::span<const Kernel> all, std::span<const Place> places) {
  const std::size_t methods = observed.methods;
  Judged judged{std::vector<Moments>(all.size() * places.size() * methods), std::vector<double>(methods, 0), std::vector<double>(methods, 0)};
  in_parallel(methods, 64, [&](std::size_t m) {
    std::vector<double> squares;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Process process(observed, all[k], m);
      process.surprises(squares);
      for (std::size_t i = 0; i < places.size(); ++i)
        judged.moments[(k * places.size() + i) * methods + m] = process.at(places[i]);
    }
    if (squares.empty()) return;
    std::ranges::sort(squares);
    const double cap = 9 * std::max(squares[squares.size() / 2] / 0.4549, 0.05);
    for (const double square : squares) judged.surprise[m] += std::min(square, cap) / static_cast<double>(all.size());
    judged.surprises[m] = static_cast<double>(squares.size()) / static_cast<double>(all.size());
  });
  return judged;
}

Judged judge_apart(const Observed& observed, const Kernel& kernel, std::span<const Place> places) {
  const std::size_t methods = observed.methods;
  Judged judged{std::vector<Moments>(places.size() * methods), std::vector<double>(methods, 0), std::vector<double>(methods, 0)};
  in_parallel(places.size(), 64, [&](std::size_t i) {
    judge_by_neighbours(observed, kernel, places[i], std::span(judged.moments).subspan(i * methods, methods));
  });
  return judged;
}

}  // namespace

std::vector<Belief> beliefs(const Timings& timings, std::span<const Instance> instances) {
  const Observed observed = observe(timings);
  const std::array<Kernel, 3> all = kernels();
  const std::size_t methods = observed.methods;
  const bool together = observed.points() <= kMostPoints;
  std::vector<Place> places;
  for (const Instance& at : instances) places.push_back(place_of(at));
  const Judged judged = together ? judge_together(observed, all, places) : judge_apart(observed, all[0], places);
  const std::size_t used = together ? all.size() : 1;
  const Interpolation interpolation(observed);
  const double total = std::accumulate(judged.surprise.begin(), judged.surprise.end(), 0.0);
  const double count = std::accumulate(judged.surprises.begin(), judged.surprises.end(), 0.0);
  const double usual = count > 0 ? total / count : 1;

  std::vector<Belief> result(instances.size() * methods);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (std::size_t m = 0; m < methods; ++m) {
      std::array<double, 4> means{};
      double variance = 0, mean = 0;
      for (std::size_t k = 0; k < used; ++k) {
        const Moments& one = judged.moments[(k * instances.size() + i) * methods + m];
        means[k] = one.mean;
        mean += one.mean / static_cast<double>(used);
        variance += one.variance / static_cast<double>(used);
      }
      std::size_t parts = used;
      const double between = interpolation.at(instances[i], m);
      const double share = tun("INTER", 0.25);
      if (!std::isnan(between)) mean = (1 - share) * mean + share * between, means[parts++] = between;
      for (std::size_t k = 0; k < parts; ++k) variance += (means[k] - mean) * (means[k] - mean) / static_cast<double>(parts);
      const double factor = (20 * usual + judged.surprise[m]) / (20 + judged.surprises[m]);
      result[i * methods + m] = {mean, std::sqrt(variance * factor), share_that_cannot_run(observed, places[i], m)};
    }
  }
  // Where another method runs when this one is asked for, it has that one's time.
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (std::size_t m = 0; m < methods; ++m) {
      Belief& belief = result[i * methods + m];
      const Method runs = effective_method(timings.methods[m], instances[i]);
      const auto found = std::ranges::find(timings.methods, runs);
      if (found != timings.methods.end()) belief = result[i * methods + static_cast<std::size_t>(found - timings.methods.begin())];
      if (is_known_to_fail(timings, timings.methods[m], instances[i])) belief.cannot_run = 1;
    }
  }
  return result;
}

}  // namespace colltree::surrogate
