// SPDX-License-Identifier: BSD-3-Clause
// How times at two points of a campaign's grid go together: the covariance of log times over
// (communicator size x message size). A sum of products, one factor for each axis, so that a
// covariance with the whole grid costs two small matrix products instead of one large one.
//
// The terms (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 4, for
// the Matern functions): a linear trend; a long and a short smooth term; one for each communicator
// size and one for each message size, which share nothing with their neighbours (the odd size, the
// protocol switch); one that powers of two have in common; and the quirk of the single point.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace colltree {

// Points are numbered row by row: communicator size, then message size.
struct PredictionGrid {
  std::vector<std::uint64_t> communicator_sizes;  // ascending
  std::vector<std::uint64_t> message_sizes;       // ascending, bytes

  std::size_t rows() const { return communicator_sizes.size(); }
  std::size_t columns() const { return message_sizes.size(); }
  std::size_t points() const { return rows() * columns(); }
  // Both sizes are of the grid.
  std::size_t point(std::uint64_t communicator_size, std::uint64_t message_size) const;
};

// All sizes that occur; of a range of what has both.
PredictionGrid prediction_grid(auto&& items) {
  std::set<std::uint64_t> communicator_sizes;
  std::set<std::uint64_t> message_sizes;
  for (const auto& item : items) {
    communicator_sizes.insert(item.communicator_size);
    message_sizes.insert(item.message_size);
  }
  return {{communicator_sizes.begin(), communicator_sizes.end()},
          {message_sizes.begin(), message_sizes.end()}};
}

using GridMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

enum class KernelParameter : std::uint8_t {
  kTrend,  // standard deviations of log time
  kLong,
  kShort,
  kRow,
  kPowerOfTwo,
  kColumn,
  kQuirk,
  kLongRows,  // lengths over which a term loses its memory, octaves
  kLongColumns,
  kShortRows,
  kShortColumns,
  kRowColumns,
  kPowerColumns,
  kColumnRows,
};
inline constexpr std::size_t kKernelParameters = 14;

// Logarithms of the parameters.
using KernelParameters = std::array<double, kKernelParameters>;
// What is usual, and how far (standard deviation of the logarithm) systems lie from it.
KernelParameters usual_kernel_parameters();
KernelParameters spread_of_kernel_parameters();

class GridKernel {
 public:
  GridKernel(const PredictionGrid& grid, const KernelParameters& parameters);

  // Of two points, without the quirk.
  double between(std::size_t a, std::size_t b) const;
  double quirk_variance() const { return quirk_variance_; }
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
  std::size_t columns_;
  double quirk_variance_;
};

}  // namespace colltree
