// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace colltree::surrogate {

double matern_5_2(double distance) {
  const double d = std::sqrt(5.0) * std::abs(distance);
  return (1 + d + d * d / 3) * std::exp(-d);
}

double matern_3_2(double distance) {
  const double d = std::sqrt(3.0) * std::abs(distance);
  return (1 + d) * std::exp(-d);
}

Place place_of(const Instance& instance) {
  const auto log2 = [](std::uint64_t value) {
    return value == 0 ? 0 : std::log2(static_cast<double>(value));
  };
  return {log2(instance.communicator_size), log2(instance.message_size + kSmallMessage_bytes),
          log2(instance.ranks_per_node), std::has_single_bit(instance.communicator_size), instance};
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

namespace {

double ranks_apart(const Pair& pair) { return pair.a.ranks - pair.b.ranks; }
double bytes_apart(const Pair& pair) { return pair.a.bytes - pair.b.bytes; }

double along_ranks(const Pair& pair) {
  return (pair.a.ranks - pair.middle.ranks) * (pair.b.ranks - pair.middle.ranks);
}
double along_bytes(const Pair& pair) {
  return (pair.a.bytes - pair.middle.bytes) * (pair.b.bytes - pair.middle.bytes);
}

// The variance of a term, less for placements that are further apart.
double placed(const Pair& pair, double deviation) {
  const double apart = std::abs(pair.a.per_node - pair.b.per_node);
  return square(deviation) * (apart == 0 ? 1 : std::exp(-apart / pair.kernel.per_node));
}

constexpr KernelTerm kTerms[kTermsOfKernel] = {
    {[](const Pair& pair) {
       return square(pair.kernel.level) + square(pair.kernel.ranks_trend) * along_ranks(pair);
     },
     [](const Pair&) { return 1.0; }},
    {[](const Pair& pair) {
       return square(pair.kernel.bytes_trend) + square(pair.kernel.both_trend) * along_ranks(pair);
     },
     along_bytes},
    {[](const Pair& pair) {
       return placed(pair, pair.kernel.far) * matern_5_2(ranks_apart(pair) / pair.kernel.far_ranks);
     },
     [](const Pair& pair) { return matern_5_2(bytes_apart(pair) / pair.kernel.far_bytes); }},
    {[](const Pair& pair) {
       return placed(pair, pair.kernel.near) *
              matern_3_2(ranks_apart(pair) / pair.kernel.near_ranks);
     },
     [](const Pair& pair) { return matern_3_2(bytes_apart(pair) / pair.kernel.near_bytes); }},
    {[](const Pair& pair) {
       const bool same = pair.a.instance.communicator_size == pair.b.instance.communicator_size;
       return same ? placed(pair, pair.kernel.row) : 0;
     },
     [](const Pair& pair) { return matern_5_2(bytes_apart(pair) / pair.kernel.row_bytes); }},
    {[](const Pair& pair) {
       const bool both = pair.a.power_of_two && pair.b.power_of_two;
       return both ? placed(pair, pair.kernel.power_of_two) : 0;
     },
     [](const Pair& pair) { return matern_5_2(bytes_apart(pair) / pair.kernel.power_bytes); }},
    {[](const Pair& pair) {
       return placed(pair, pair.kernel.column) *
              matern_5_2(ranks_apart(pair) / pair.kernel.column_ranks);
     },
     [](const Pair& pair) {
       return pair.a.instance.message_size == pair.b.instance.message_size ? 1.0 : 0.0;
     }},
};

}  // namespace

double covariance_of(const Kernel& kernel, const Place& a, const Place& b, const Place& middle) {
  const Pair pair{kernel, a, b, middle};
  double sum = 0;
  for (const KernelTerm& term : kTerms) {
    const double columns = term.columns(pair);
    if (columns != 0) sum += columns * term.rows(pair);
  }
  return sum;
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

std::vector<Place> places_of_rows(const PredictionGrid& grid) {
  std::vector<Place> places;
  for (std::size_t row = 0; row < grid.rows(); ++row) {
    Instance instance{.communicator_size = grid.communicator_sizes[row]};
    if (!grid.ranks_per_node.empty()) instance.ranks_per_node = grid.ranks_per_node[row];
    places.push_back(place_of(instance));
  }
  return places;
}

std::vector<Place> places_of_columns(const PredictionGrid& grid) {
  std::vector<Place> places;
  for (const std::uint64_t size : grid.message_sizes)
    places.push_back(place_of({.message_size = size}));
  return places;
}

Eigen::MatrixXd table(const std::vector<Place>& places, const Place& middle, const Kernel& kernel,
                      double (*factor)(const Pair&)) {
  const auto size = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd values(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      values(i, j) = factor({kernel, places[static_cast<std::size_t>(i)],
                             places[static_cast<std::size_t>(j)], middle});
    }
  }
  return values;
}

}  // namespace

GridKernel::GridKernel(const PredictionGrid& grid, const Kernel& kernel)
    : GridKernel(grid, kernel,
                 {.ranks = middle_of(places_of_rows(grid)).ranks,
                  .bytes = middle_of(places_of_columns(grid)).bytes}) {}

GridKernel::GridKernel(const PredictionGrid& grid, const Kernel& kernel, const Place& middle)
    : row_factors_(grid.rows() * grid.rows()),
      column_factors_(grid.columns() * grid.columns()),
      rows_(grid.rows()),
      columns_(grid.columns()),
      own_variance_(square(kernel.noise)) {
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t column = 0; column < columns_; ++column) places_.push_back({row, column});
  }
  const std::vector<Place> rows = places_of_rows(grid);
  const std::vector<Place> columns = places_of_columns(grid);
  for (const KernelTerm& term : kTerms) {
    Term tables{table(rows, middle, kernel, term.rows),
                table(columns, middle, kernel, term.columns)};
    for (std::size_t i = 0; i < row_factors_.size(); ++i)
      row_factors_[i][terms_.size()] = tables.rows.data()[i];
    for (std::size_t i = 0; i < column_factors_.size(); ++i)
      column_factors_[i][terms_.size()] = tables.columns.data()[i];
    tables.diagonal_rows = tables.rows.isDiagonal(0);
    tables.diagonal_columns = tables.columns.isDiagonal(0);
    terms_.push_back(std::move(tables));
  }
}

double GridKernel::between(std::size_t a, std::size_t b) const {
  const Factors& rows = row_factors_[places_[b].row * rows_ + places_[a].row];
  const Factors& columns = column_factors_[places_[b].column * columns_ + places_[a].column];
  double sum = 0;
  for (std::size_t term = 0; term < rows.size(); ++term) sum += rows[term] * columns[term];
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

}  // namespace colltree::surrogate
