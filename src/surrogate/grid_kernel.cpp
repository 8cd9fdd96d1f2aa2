// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/grid_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "surrogate/constants.h"

namespace colltree::surrogate {

double matern_5_2(double distance) {
  const double d = std::sqrt(5.0) * std::abs(distance);
  return (1 + d + d * d / 3) * std::exp(-d);
}

double matern_3_2(double distance) {
  const double d = std::sqrt(3.0) * std::abs(distance);
  return (1 + d) * std::exp(-d);
}

std::size_t PredictionGrid::point(std::uint64_t communicator_size, std::uint64_t message_size,
                                  std::uint64_t ranks_of_node) const {
  const auto first = std::ranges::lower_bound(communicator_sizes, communicator_size);
  auto row = static_cast<std::size_t>(first - communicator_sizes.begin());
  if (!ranks_per_node.empty()) {
    while (ranks_per_node[row] != ranks_of_node) ++row;
  }
  const auto column = std::ranges::lower_bound(message_sizes, message_size);
  return row * columns() + static_cast<std::size_t>(column - message_sizes.begin());
}

namespace {

struct Setting {
  double usual;
  double spread;
};

// By KernelParameter.
constexpr Setting kSettings[kKernelParameters] = {
    {3, 1},   {1, 1},   {0.2, 1}, {0.05, 1.2}, {0.1, 1.2}, {0.03, 1.2}, {0.02, 1.2}, {4, 0.5},
    {6, 0.5}, {1, 0.7}, {2, 0.7}, {3, 0.7},    {4, 0.7},   {2, 0.7},    {3, 0.7},
};

using Covariance = std::function<double(std::size_t, std::size_t)>;

Eigen::MatrixXd table(std::size_t size, const Covariance& covariance) {
  Eigen::MatrixXd values(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = covariance(i, j);
  }
  return values;
}

Covariance smooth(const std::vector<double>& at, double length, double (*function)(double)) {
  return [&at, length, function](std::size_t i, std::size_t j) {
    return function((at[i] - at[j]) / length);
  };
}

// A straight line of any slope around the middle of the axis.
Covariance linear(const std::vector<double>& at, double slope_variance) {
  const double middle = (at.front() + at.back()) / 2;
  return [&at, middle, slope_variance](std::size_t i, std::size_t j) {
    return 1 + slope_variance * (at[i] - middle) * (at[j] - middle);
  };
}

double same(std::size_t i, std::size_t j) { return i == j ? 1 : 0; }

// What two rows have in common however they lie, times what their placements leave of it.
Covariance placed(const PredictionGrid& grid, double length, Covariance rows) {
  if (grid.ranks_per_node.empty()) return rows;
  return [&grid, length, rows = std::move(rows)](std::size_t i, std::size_t j) {
    const double apart = std::log2(static_cast<double>(grid.ranks_per_node[i])) -
                         std::log2(static_cast<double>(grid.ranks_per_node[j]));
    return rows(i, j) * matern_3_2(apart / length);
  };
}

}  // namespace

KernelParameters usual_kernel_parameters() {
  KernelParameters parameters{};
  for (std::size_t i = 0; i < kKernelParameters; ++i) parameters[i] = std::log(kSettings[i].usual);
  return parameters;
}

KernelParameters spread_of_kernel_parameters() {
  KernelParameters parameters{};
  for (std::size_t i = 0; i < kKernelParameters; ++i) parameters[i] = kSettings[i].spread;
  return parameters;
}

GridKernel::GridKernel(const PredictionGrid& grid, const KernelParameters& parameters)
    : columns_(grid.columns()) {
  std::vector<double> u;  // octaves
  std::vector<double> v;
  for (const std::uint64_t size : grid.communicator_sizes)
    u.push_back(std::log2(static_cast<double>(size)));
  for (const std::uint64_t size : grid.message_sizes)
    v.push_back(std::log2(static_cast<double>(size + kSmallMessage_bytes)));
  const auto power_of_two = [&](std::size_t i, std::size_t j) {
    return std::has_single_bit(grid.communicator_sizes[i]) &&
                   std::has_single_bit(grid.communicator_sizes[j])
               ? 1.0
               : 0.0;
  };
  const auto value = [&](KernelParameter which) {
    return std::exp(parameters[static_cast<std::size_t>(which)]);
  };
  const auto add = [&](KernelParameter deviation, const Covariance& rows,
                       const Covariance& columns) {
    const double variance = value(deviation) * value(deviation);
    Term term{variance * table(u.size(), rows), table(v.size(), columns)};
    term.diagonal_rows = term.rows.isDiagonal(0);
    term.diagonal_columns = term.columns.isDiagonal(0);
    terms_.push_back(std::move(term));
  };
  const auto same_size = [&](std::size_t i, std::size_t j) {
    return grid.communicator_sizes[i] == grid.communicator_sizes[j] ? 1.0 : 0.0;
  };
  using enum KernelParameter;
  const auto rows = [&](const Covariance& of_sizes) {
    return placed(grid, value(kPlacements), of_sizes);
  };
  constexpr double kSlopeOfRows = 0.3;
  constexpr double kSlopeOfColumns = 0.1;
  add(kTrend, rows(linear(u, kSlopeOfRows)), linear(v, kSlopeOfColumns));
  add(kLong, rows(smooth(u, value(kLongRows), matern_5_2)),
      smooth(v, value(kLongColumns), matern_5_2));
  add(kShort, rows(smooth(u, value(kShortRows), matern_3_2)),
      smooth(v, value(kShortColumns), matern_3_2));
  add(kRow, rows(same_size), smooth(v, value(kRowColumns), matern_5_2));
  add(kPowerOfTwo, rows(power_of_two), smooth(v, value(kPowerColumns), matern_5_2));
  add(kColumn, rows(smooth(u, value(kColumnRows), matern_5_2)), same);
  quirk_variance_ = value(kQuirk) * value(kQuirk);
}

double GridKernel::between(std::size_t a, std::size_t b) const {
  const auto row_a = static_cast<Eigen::Index>(a / columns_);
  const auto row_b = static_cast<Eigen::Index>(b / columns_);
  const auto column_a = static_cast<Eigen::Index>(a % columns_);
  const auto column_b = static_cast<Eigen::Index>(b % columns_);
  double sum = 0;
  for (const Term& term : terms_) sum += term.rows(row_a, row_b) * term.columns(column_a, column_b);
  return sum;
}

GridMatrix GridKernel::spread(const GridMatrix& weights) const {
  std::vector<Eigen::Index> used;
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    if ((weights.row(row).array() != 0).any()) used.push_back(row);
  }
  const GridMatrix some = weights(used, Eigen::all);
  GridMatrix sum = GridMatrix::Zero(weights.rows(), weights.cols());
  GridMatrix along(some.rows(), some.cols());
  for (const Term& term : terms_) {
    if (term.diagonal_columns) {
      along = some;
    } else {
      along.noalias() = some * term.columns;
    }
    if (term.diagonal_rows) {
      for (std::size_t i = 0; i < used.size(); ++i)
        sum.row(used[i]) += term.rows(used[i], used[i]) * along.row(static_cast<Eigen::Index>(i));
    } else {
      sum.noalias() += term.rows(Eigen::all, used).eval() * along;
    }
  }
  return sum;
}

Place place_of(const Instance& at) {
  const auto log2 = [](std::uint64_t value) {
    return value == 0 ? 0 : std::log2(static_cast<double>(value));
  };
  return {log2(at.communicator_size), log2(at.message_size + kSmallMessage_bytes),
          log2(at.ranks_per_node), std::has_single_bit(at.communicator_size), at};
}

Place middle_of(std::span<const Place> places) {
  Place middle;
  const auto count = static_cast<double>(places.size());
  for (const Place& place : places) {
    middle.ranks += place.ranks / count;
    middle.bytes += place.bytes / count;
  }
  return middle;
}

double covariance_of(const BeliefKernel& kernel, const Place& a, const Place& b,
                     const Place& middle) {
  const double ranks = a.ranks - b.ranks;
  const double bytes = a.bytes - b.bytes;
  const double along_bytes = matern_5_2(bytes / kernel.far_bytes);
  double placed = square(kernel.far) * matern_5_2(ranks / kernel.far_ranks) * along_bytes +
                  square(kernel.near) * matern_3_2(ranks / kernel.near_ranks) *
                      matern_3_2(bytes / kernel.near_bytes);
  if (a.at.communicator_size == b.at.communicator_size) placed += square(kernel.row) * along_bytes;
  if (a.power_of_two && b.power_of_two) placed += square(kernel.power_of_two) * along_bytes;
  if (a.at.message_size == b.at.message_size)
    placed += square(kernel.column) * matern_5_2(ranks / kernel.column_ranks);
  return square(kernel.level) +
         square(kernel.ranks_trend) * (a.ranks - middle.ranks) * (b.ranks - middle.ranks) +
         square(kernel.bytes_trend) * (a.bytes - middle.bytes) * (b.bytes - middle.bytes) +
         placed * std::exp(-std::abs(a.per_node - b.per_node) / kernel.per_node);
}

}  // namespace colltree::surrogate
