// SPDX-License-Identifier: BSD-3-Clause
// The covariance of the logarithms of one method's times at two instances, on which every process
// of the surrogate rests, over the grid of a campaign (surrogate.h) as at any size (belief.h). It
// is a sum of products, one factor for the communicator sizes and their placements and one for the
// message sizes, so that a grid can tabulate them.
//
// The terms (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 4, for
// the Matern functions): a linear trend; a far and a near smooth term; one for each communicator
// size and one for each message size, which share nothing with their neighbours (the odd size, the
// protocol switch); and one that powers of two have in common. All terms but the trend shrink with
// the distance of the ranks per node. Each single point has some variance of its own besides.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "surrogate/constants.h"
#include "timings/timings.h"

namespace colltree::surrogate {

inline double square(double value) { return value * value; }

// The correlation of two values at this distance, in lengths; 3/2 is rougher than 5/2.
double matern_3_2(double distance);
double matern_5_2(double distance);

struct Place {
  double ranks = 0;     // log2
  double bytes = 0;     // log2 of what a message costs at least, and the bytes
  double per_node = 0;  // log2 of the ranks per node
  bool power_of_two = false;
  Instance instance;
};

Place place_of(const Instance& instance);
// The means of the sizes, at which the trends are 0.
Place middle_of(std::span<const Place> places);

struct Pair {
  const Kernel& kernel;
  const Place& a;
  const Place& b;
  const Place& middle;
};
struct KernelTerm {
  double (*rows)(const Pair&);     // by communicator sizes and placements, variance included
  double (*columns)(const Pair&);  // by message sizes
};
inline constexpr std::size_t kTermsOfKernel = 7;

// The covariance without the variance that a single point has of its own.
double covariance_of(const Kernel& kernel, const Place& a, const Place& b, const Place& middle);

// Points are numbered row by row. A row is a communicator size, or one of its placements; a column
// a message size.
struct PredictionGrid {
  std::vector<std::uint64_t> communicator_sizes;   // by row, ascending
  std::vector<std::uint64_t> message_sizes;        // ascending, bytes
  std::vector<std::uint64_t> ranks_per_node = {};  // by row; none: rows differ in size alone

  std::size_t rows() const { return communicator_sizes.size(); }
  std::size_t columns() const { return message_sizes.size(); }
  std::size_t points() const { return rows() * columns(); }
  // The sizes must be in the grid; without placements `ranks_of_node` does not count.
  std::size_t point(std::uint64_t communicator_size, std::uint64_t message_size,
                    std::uint64_t ranks_of_node) const;
};

// The grid of the sizes that occur, with a row for each placement; `items` have sizes and ranks per
// node.
PredictionGrid grid_of_placements(auto&& items) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> rows;
  std::set<std::uint64_t> message_sizes;
  for (const auto& item : items) {
    rows.emplace(item.communicator_size, item.ranks_per_node);
    message_sizes.insert(item.message_size);
  }
  PredictionGrid grid{{}, {message_sizes.begin(), message_sizes.end()}};
  for (const auto& [communicator_size, ranks_per_node] : rows) {
    grid.communicator_sizes.push_back(communicator_size);
    grid.ranks_per_node.push_back(ranks_per_node);
  }
  return grid;
}

// The same, but without placements if no communicator size has several.
PredictionGrid prediction_grid(auto&& items) {
  PredictionGrid grid = grid_of_placements(items);
  const auto& sizes = grid.communicator_sizes;
  if (std::ranges::adjacent_find(sizes) == sizes.end()) grid.ranks_per_node.clear();
  return grid;
}

using GridMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The kernel over a grid, tabulated: a covariance with the whole grid costs two small matrix
// products for each term instead of one large one.
class GridKernel {
 public:
  // The trends are 0 in the middle of the grid, or at `middle`.
  GridKernel(const PredictionGrid& grid, const Kernel& kernel);
  GridKernel(const PredictionGrid& grid, const Kernel& kernel, const Place& middle);

  // The covariance of two points, without the variance that a single point has of its own.
  double between(std::size_t a, std::size_t b) const;
  double own_variance() const { return own_variance_; }  // that variance
  // The sum over all points q of weights(q) * between(q, p), for every p. Cost: by the rows of the
  // grid where any weight is not 0.
  GridMatrix spread(const GridMatrix& weights) const;

 private:
  struct Term {
    Eigen::MatrixXd rows;  // variance included
    Eigen::MatrixXd columns;
    bool diagonal_rows = false;  // a size has nothing in common with another
    bool diagonal_columns = false;
  };
  std::vector<Term> terms_;
  // The factors of all terms for a pair of rows or columns, side by side because one pair is looked
  // up often.
  using Factors = std::array<double, kTermsOfKernel>;
  std::vector<Factors> row_factors_;
  std::vector<Factors> column_factors_;
  struct PlaceInGrid {
    std::size_t row;
    std::size_t column;
  };
  std::vector<PlaceInGrid> places_;  // by point: a division takes longer than the product of a term
  std::size_t rows_;
  std::size_t columns_;
  double own_variance_;
};

}  // namespace colltree::surrogate
