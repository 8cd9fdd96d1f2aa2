// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/process.h"

#include <gmock/gmock.h>

#include <cmath>

namespace colltree::surrogate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd covariance(Index size) {
  MatrixXd values(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j)
      values(i, j) = std::exp(-std::abs(static_cast<double>(i - j)) / 3) + (i == j ? 0.01 : 0);
  }
  return values;
}

VectorXd values(Index size) {
  VectorXd all(size);
  for (Index i = 0; i < size; ++i) all[i] = std::sin(static_cast<double>(i));
  return all;
}

// Misses of some given all others, by the conditional distribution.
VectorXd misses_given_rest(const LeftOut::Group& rest, const LeftOut::Group& some) {
  const MatrixXd all = covariance(5);
  const MatrixXd gain = all(some, rest) * all(rest, rest).inverse();
  const MatrixXd left = all(some, some) - gain * all(rest, some);
  return (values(5)(some) - gain * values(5)(rest)).cwiseQuotient(left.diagonal().cwiseSqrt());
}

TEST(LeftOut, IsWhatTheOthersSay) {
  const LeftOut left_out = Process(covariance(5), values(5), kBeliefDoubt).left_out();
  const VectorXd alone = left_out.errors().cwiseQuotient(left_out.variances().cwiseSqrt());
  EXPECT_NEAR(alone[2], misses_given_rest({0, 1, 3, 4}, {2})[0], 1e-9);
  const VectorXd by_rest = misses_given_rest({0, 2, 4}, {1, 3});
  EXPECT_LT((left_out.together({1, 3}) - by_rest).norm(), 1e-9);
  const VectorXd in_turn = left_out.in_turn({1, 3});
  EXPECT_NEAR(in_turn[0], misses_given_rest({0, 2, 3, 4}, {1})[0], 1e-9);
  EXPECT_NEAR(in_turn[1], by_rest[1], 1e-9);
  const std::vector<double> by_size = left_out.by_size([](Index i) { return i % 2; });
  ASSERT_EQ(by_size.size(), 5u);
  EXPECT_NEAR(by_size[4], by_rest[1], 1e-9);
  EXPECT_TRUE(left_out.by_size([](Index) { return 1; }).empty());
}

TEST(Process, OneByOneIsAllAtOnce) {
  const Process at_once(covariance(5), values(5), kCampaignDoubt);
  Process one_by_one(covariance(3), values(3), kCampaignDoubt);
  for (Index i = 3; i < 5; ++i)
    one_by_one.add(values(5)[i], covariance(5).col(i).head(i), covariance(5)(i, i), 0);
  EXPECT_LT((one_by_one.weights() - at_once.weights()).norm(), 1e-9);
}

TEST(Process, AValueThatFitsNothingHasAVarianceOfItsOwn) {
  EXPECT_EQ(own_variance(2.9, 1, {3, 1}), 0);
  EXPECT_DOUBLE_EQ(own_variance(4, 1, {3, 1}), 15);
  VectorXd odd = VectorXd::Zero(8);
  odd[4] = 5;
  const Process process(covariance(8), odd, kBeliefDoubt);
  Index oddest = 0;
  process.own_variances().maxCoeff(&oddest);
  EXPECT_EQ(oddest, 4);
  EXPECT_LT(std::abs(covariance(8).col(2).dot(process.weights())), 0.2);
}

PredictionGrid small_grid() { return {{2, 3, 4, 6, 8}, {1, 16, 256, 4096, 65536, 1048576}}; }

double smooth_log_time(const PredictionGrid& grid, std::size_t point) {
  const auto p = static_cast<double>(grid.communicator_sizes[point / grid.columns()]);
  const auto m = static_cast<double>(grid.message_sizes[point % grid.columns()]);
  return std::log(3 * std::log2(p) + p * m / 1000);
}

TEST(GridKernel, SpreadsAsTheSumOverPoints) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, kCampaignKernels[0]);
  GridMatrix weights = GridMatrix::Zero(5, 6);
  weights.data()[3] = 2;
  weights.data()[17] = -1;
  const GridMatrix spread = kernel.spread(weights);
  for (std::size_t p = 0; p < grid.points(); ++p)
    EXPECT_NEAR(spread.data()[p], 2 * kernel.between(3, p) - kernel.between(17, p), 1e-9);
}

// Of placements, too.
TEST(GridKernel, IsTheKernelAtEveryPairOfPoints) {
  const PredictionGrid grid{{2, 3, 4, 4, 8}, {1, 16, 4096}, {1, 1, 1, 4, 4}};
  std::vector<Place> places;
  for (std::size_t p = 0; p < grid.points(); ++p) {
    const std::size_t row = p / grid.columns();
    places.push_back(place_of({.communicator_size = grid.communicator_sizes[row],
                               .message_size = grid.message_sizes[p % grid.columns()],
                               .ranks_per_node = grid.ranks_per_node[row]}));
  }
  for (const Kernel& kernel : {kCampaignKernels[0], kBeliefKernels[0]}) {
    const GridKernel tabulated(grid, kernel);
    for (std::size_t a = 0; a < grid.points(); ++a) {
      for (std::size_t b = 0; b < grid.points(); ++b)
        EXPECT_NEAR(tabulated.between(a, b),
                    covariance_of(kernel, places[a], places[b], middle_of(places)), 1e-9);
    }
  }
}

TEST(Kernel, PowersOfTwoHaveSomethingInCommon) {
  Kernel without = kCampaignKernels[0];
  without.power_of_two = 0;
  const auto gained = [&](std::uint64_t a, std::uint64_t b) {
    const Place one = place_of({.communicator_size = a});
    const Place other = place_of({.communicator_size = b});
    return covariance_of(kCampaignKernels[0], one, other, {}) -
           covariance_of(without, one, other, {});
  };
  EXPECT_GT(gained(2, 8), 1e-3);
  EXPECT_NEAR(gained(2, 3), 0, 1e-12);
}

// The middle of three, held out: the mean of the other two is the same as of all three.
TEST(GridProcess, MissesAreThoseOfLeavingOneOut) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, kCampaignKernels[0]);
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

// Two at one end, held out together: the mean of the others is the same as of all.
TEST(GridProcess, TheEndsAreForetoldByWhatLiesBeforeThem) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, kCampaignKernels[0]);
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

// Against the textbook's formulas over all points, own variances and all (2.23, 2.24).
TEST(GridProcess, IsTheConditionalDistribution) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, kCampaignKernels[0]);
  GridProcess process(grid);
  const std::vector<std::size_t> at{0, 4, 11, 13, 22};
  for (const std::size_t point : at) process.observe(point, smooth_log_time(grid, point), 1e-3);
  process.condition(kernel);
  const auto n = static_cast<Eigen::Index>(at.size());
  const auto all = static_cast<Eigen::Index>(grid.points());
  const auto prior = [&](std::size_t a, std::size_t b) {
    return kernel.between(a, b) + (a == b ? kernel.own_variance() : 0);
  };
  Eigen::MatrixXd among(n, n);
  Eigen::MatrixXd with(n, all);
  Eigen::VectorXd values(n);
  double level = 0;
  for (const std::size_t point : at) level += smooth_log_time(grid, point) / 5;
  for (Eigen::Index i = 0; i < n; ++i) {
    values[i] = smooth_log_time(grid, at[static_cast<std::size_t>(i)]) - level;
    for (Eigen::Index j = 0; j < n; ++j)
      among(i, j) = prior(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
    among(i, i) += 1e-3;
    for (Eigen::Index p = 0; p < all; ++p)
      with(i, p) = prior(at[static_cast<std::size_t>(i)], static_cast<std::size_t>(p));
  }
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
  const GridKernel kernel(grid, kCampaignKernels[0]);
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

// Times that no size explains are likelier under a kernel of much noise, others under a smooth one.
TEST(GridProcess, TheLikelierKernelIsThatOfTheTimes) {
  const PredictionGrid grid = small_grid();
  const GridKernel noisy(grid, kCampaignKernels[2]);
  const GridKernel usual(grid, kCampaignKernels[0]);
  for (const double deviation : {0.0, 0.5}) {
    GridProcess process(grid);
    for (std::size_t point = 0; point < grid.points(); ++point) {
      const double sign = (point * point * 31 + point * 17) % 11 < 5 ? 1 : -1;  // no pattern
      process.observe(point, smooth_log_time(grid, point) + sign * deviation, 0);
    }
    EXPECT_EQ(process.log_likelihood(noisy) > process.log_likelihood(usual), deviation > 0);
  }
}

// A time that fits nothing around it is believed where it was measured and nowhere else.
TEST(GridProcess, AnOutlierDoesNotBendItsNeighbours) {
  const PredictionGrid grid = small_grid();
  const GridKernel kernel(grid, kCampaignKernels[0]);
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

}  // namespace
}  // namespace colltree::surrogate
