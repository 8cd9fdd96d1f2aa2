// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/grid_process.h"

#include <gmock/gmock.h>

#include <cmath>

namespace colltree::surrogate {
namespace {

PredictionGrid small_grid() { return {{2, 3, 4, 6, 8}, {1, 16, 256, 4096, 65536, 1048576}}; }

double smooth_log_time(const PredictionGrid& grid, std::size_t point) {
  const auto p = static_cast<double>(grid.communicator_sizes[point / grid.columns()]);
  const auto m = static_cast<double>(grid.message_sizes[point % grid.columns()]);
  return std::log(3 * std::log2(p) + p * m / 1000);
}

TEST(GridKernel, SpreadsAsTheSumOverPoints) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridMatrix weights = GridMatrix::Zero(5, 6);
  weights.data()[3] = 2;
  weights.data()[17] = -1;
  const GridMatrix spread = kernel.spread(weights);
  for (std::size_t p = 0; p < grid.points(); ++p)
    EXPECT_NEAR(spread.data()[p], 2 * kernel.between(3, p) - kernel.between(17, p), 1e-9);
}

TEST(GridKernel, PowersOfTwoHaveSomethingInCommon) {
  const PredictionGrid grid = small_grid();
  KernelParameters parameters = usual_kernel_parameters();
  const auto power = static_cast<std::size_t>(KernelParameter::kPowerOfTwo);
  const GridKernel with(grid, parameters);
  parameters[power] = -20;
  const GridKernel without(grid, parameters);
  const std::size_t two = 0;
  const std::size_t three = grid.columns();
  const std::size_t eight = 4 * grid.columns();
  EXPECT_GT(with.between(two, eight), without.between(two, eight) + 1e-3);
  EXPECT_NEAR(with.between(two, three), without.between(two, three), 1e-12);
}

// The middle of three, held out: the mean of the other two is the same as of all three.
TEST(GridProcess, MissesAreThoseOfLeavingOneOut) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridProcess all(grid);
  GridProcess others(grid);
  for (GridProcess* process : {&all, &others}) {
    process->observe(3, 4, 1e-3);
    process->observe(20, 2, 1e-3);
  }
  all.observe(9, 3, 1e-3);
  all.condition(kernel);
  others.condition(kernel);
  ASSERT_EQ(all.misses().size(), 3u);
  EXPECT_NEAR(all.misses()[2], (3 - others.mean(9)) / std::sqrt(others.variance(9) + 1e-3), 1e-9);
}

// All but one kept: the one is held out as each is in turn.
TEST(GridProcess, MissesByFewAreThoseOfTheOthers) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridProcess process(grid);
  for (const std::size_t point : {0, 4, 11, 13, 22})
    process.observe(point, smooth_log_time(grid, point), 1e-3);
  process.condition(kernel);
  const std::vector<double> one = process.misses_by_few(4, 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(process.misses(), ::testing::Contains(::testing::DoubleNear(one[0], 1e-9)));
  EXPECT_EQ(process.misses_by_few(2, 1).size(), 3u);
  EXPECT_TRUE(process.misses_by_few(5, 1).empty());
}

// Two at one end, held out together: the mean of the others is the same as of all.
TEST(GridProcess, TheEndsAreForetoldByWhatLiesBeforeThem) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridProcess all(grid);
  GridProcess before(grid);
  for (GridProcess* process : {&all, &before}) {
    process->observe(1, 4, 1e-3);   // 2 ranks, 16 bytes
    process->observe(8, 2, 1e-3);   // 3 ranks, 256 bytes
    process->observe(13, 3, 1e-3);  // 4 ranks, 16 bytes
  }
  all.observe(21, 2, 1e-3);  // 6 ranks, 4096 bytes
  all.observe(28, 4, 1e-3);  // 8 ranks, 65536 bytes
  all.condition(kernel);
  before.condition(kernel);
  const double miss = (2 - before.mean(21)) / std::sqrt(before.variance(21) + 1e-3);
  EXPECT_THAT(all.misses_at_ends(), ::testing::Contains(::testing::DoubleNear(miss, 1e-9)));
  EXPECT_FALSE(all.is_beyond(20)) << "6 ranks, 256 bytes";
  EXPECT_TRUE(all.is_beyond(29)) << "8 ranks, 1 MB";
  EXPECT_TRUE(all.is_beyond(0)) << "2 ranks, 1 byte";
  EXPECT_TRUE(before.is_beyond(20));
}

// Against the textbook's formulas over all points, quirks and all (2.23, 2.24).
TEST(GridProcess, IsTheConditionalDistribution) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridProcess process(grid);
  const std::vector<std::size_t> at{0, 4, 11, 13, 22};
  for (const std::size_t point : at) process.observe(point, smooth_log_time(grid, point), 1e-3);
  process.condition(kernel);
  const auto n = static_cast<Eigen::Index>(at.size());
  const auto all = static_cast<Eigen::Index>(grid.points());
  const auto prior = [&](std::size_t a, std::size_t b) {
    return kernel.between(a, b) + (a == b ? kernel.quirk_variance() : 0);
  };
  Eigen::MatrixXd among(n, n);
  Eigen::MatrixXd with(n, all);
  Eigen::VectorXd values(n);
  double level = 0;
  for (const std::size_t point : at) level += smooth_log_time(grid, point) / 5;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& one = process.observations()[static_cast<std::size_t>(i)];
    values[i] = one.log_time - level;
    for (Eigen::Index j = 0; j < n; ++j)
      among(i, j) = prior(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
    among(i, i) += one.variance + one.own_variance;
    for (Eigen::Index p = 0; p < all; ++p)
      with(i, p) = prior(at[static_cast<std::size_t>(i)], static_cast<std::size_t>(p));
  }
  for (const auto& one : process.observations()) ASSERT_EQ(one.own_variance, 0);
  const Eigen::MatrixXd solved = among.ldlt().solve(with);
  for (std::size_t p = 0; p < grid.points(); ++p) {
    const auto column = static_cast<Eigen::Index>(p);
    EXPECT_NEAR(process.mean(p), level + solved.col(column).dot(values), 1e-8);
    EXPECT_NEAR(process.variance(p), prior(p, p) - solved.col(column).dot(with.col(column)), 1e-8);
  }
  const GridMatrix covariances = process.covariances(7);
  for (std::size_t p = 0; p < grid.points(); ++p)
    EXPECT_NEAR(covariances.data()[p],
                prior(7, p) - solved.col(7).dot(with.col(static_cast<Eigen::Index>(p))), 1e-8);
}

TEST(GridProcess, OneByOneIsAllAtOnce) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  GridProcess at_once(grid);
  GridProcess one_by_one(grid);
  for (const std::size_t point : {0U, 4U, 11U, 13U}) {
    at_once.observe(point, smooth_log_time(grid, point), 0);
    one_by_one.observe(point, smooth_log_time(grid, point), 0);
  }
  one_by_one.condition(kernel);
  // The level about which both predict is that of the first observations.
  const double level_of_first = one_by_one.mean(29);
  for (const std::size_t point : {22U, 27U, 8U}) {
    at_once.observe(point, smooth_log_time(grid, point), 0);
    one_by_one.observe(point, smooth_log_time(grid, point), 0);
  }
  at_once.condition(kernel);
  EXPECT_NE(one_by_one.mean(29), level_of_first);
  for (std::size_t p = 0; p < grid.points(); ++p) {
    EXPECT_NEAR(one_by_one.variance(p), at_once.variance(p), 1e-7) << p;
    EXPECT_NEAR(one_by_one.mean(p), at_once.mean(p), 0.02) << p;
  }
}

// A time that fits nothing around it is believed where it was measured and nowhere else.
TEST(GridProcess, AnOutlierDoesNotBendItsNeighbours) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, usual_kernel_parameters());
  for (const bool at_once : {true, false}) {
    GridProcess process(grid);
    for (std::size_t point = 0; point < grid.points(); ++point) {
      if (point != 14 && point != 15) process.observe(point, smooth_log_time(grid, point), 0);
    }
    const double odd = smooth_log_time(grid, 14) + 2;
    if (at_once) process.observe(14, odd, 0);
    process.condition(kernel);
    if (!at_once) process.observe(14, odd, 0);
    EXPECT_NEAR(process.mean(14), odd, 0.01);
    EXPECT_NEAR(process.mean(15), smooth_log_time(grid, 15), 0.25);
  }
}

// Times that no size explains make every prediction less sure.
TEST(KernelFit, PredictsNoBetterThanWhatItHasSeenRepeat) {
  const PredictionGrid grid = small_grid();
  const auto deviation_at_last = [&](double noise) {
    std::vector<GridProcess> methods(2, GridProcess(grid));
    for (std::size_t point = 0; point + 1 < grid.points(); ++point) {
      const double sign = (point * point * 31 + point * 17) % 11 < 5 ? 1 : -1;  // no pattern
      for (GridProcess& method : methods)
        method.observe(point, smooth_log_time(grid, point) + sign * noise, 0);
    }
    const GridKernel kernel(grid, fit_kernel(grid, methods, usual_kernel_parameters(), 1));
    methods[0].condition(kernel);
    return std::sqrt(methods[0].variance(grid.points() - 1));
  };
  EXPECT_LT(deviation_at_last(0), 0.1);
  EXPECT_GT(deviation_at_last(0.3), 0.2);
}

}  // namespace
}  // namespace colltree::surrogate
