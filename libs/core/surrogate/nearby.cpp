// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/nearby.h"

#include <Eigen/Dense>
#include <algorithm>
#include <map>

#include "base/work.h"
#include "surrogate/constants.h"

namespace colltree::surrogate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Places that are judged together: [first, last) of what is asked for.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Neighbours along the message sizes have most of their nearest points in common.
std::vector<Block> blocks_of(std::span<const Place> asked) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool begins = blocks.empty() || i - blocks.back().first == kJudgedTogether ||
                        asked[i].ranks != asked[blocks.back().first].ranks;
    if (begins) blocks.push_back({i, i});
    blocks.back().last = i + 1;
  }
  return blocks;
}

// The points that are among the nearest of any place of the block, by a kernel that must have no
// trends.
std::vector<std::size_t> nearest(const Observed& observed, const GridKernel& kernel,
                                 const Block& block) {
  std::vector<bool> is_near(observed.points, false);
  std::vector<std::pair<double, std::size_t>> order(observed.points);
  // Gives the order of pairs by two comparisons of numbers, which is faster than their <=>.
  const auto is_nearer = [](const auto& a, const auto& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  };
  for (std::size_t i = block.first; i < block.last; ++i) {
    const std::size_t there = observed.cells[observed.points + i];
    for (std::size_t point = 0; point < observed.points; ++point)
      order[point] = {-kernel.between(observed.cells[point], there), point};
    std::ranges::nth_element(order, order.begin() + kNeighbours, is_nearer);
    for (std::size_t k = 0; k < kNeighbours; ++k) is_near[order[k].second] = true;
  }
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < observed.points; ++point) {
    if (is_near[point]) points.push_back(point);
  }
  return points;
}

// The covariances of the points near a block with each other and with the places of the block.
struct NearCovariances {
  std::vector<std::size_t> points;
  MatrixXd with_points;
  MatrixXd with_places;
  VectorXd of_places;  // with themselves

  NearCovariances(const Observed& observed, const GridKernel& kernel, const Block& block,
                  std::vector<std::size_t> near)
      : points(std::move(near)) {
    const auto n = static_cast<Index>(points.size());
    const auto places = static_cast<Index>(block.last - block.first);
    const std::size_t* asked = &observed.cells[observed.points + block.first];
    with_points.resize(n, n);
    with_places.resize(n, places);
    of_places.resize(places);
    for (Index i = 0; i < n; ++i) {
      const std::size_t cell = observed.cells[points[i]];
      for (Index j = 0; j <= i; ++j)
        with_points(i, j) = with_points(j, i) = kernel.between(cell, observed.cells[points[j]]);
      for (Index place = 0; place < places; ++place)
        with_places(i, place) = kernel.between(cell, asked[place]);
    }
    for (Index place = 0; place < places; ++place)
      of_places(place) = kernel.between(asked[place], asked[place]);
  }
};

// These methods have times at the same ones of the near points, and so one factor serves them all.
void judge_group(const Observed& observed, const NearCovariances& near, double own_variance,
                 const Block& block, const std::vector<Index>& rows,
                 const std::vector<std::size_t>& methods, std::span<Moments> moments) {
  const auto n = static_cast<Index>(rows.size());
  MatrixXd covariance = near.with_points(rows, rows);
  const MatrixXd with = near.with_places(rows, Eigen::all);
  for (Index i = 0; i < n; ++i) {
    double noise = 0;
    for (const std::size_t m : methods) noise += observed.noise(near.points[rows[i]], m);
    covariance(i, i) += own_variance + noise / static_cast<double>(methods.size());
  }
  const MatrixXd weights = Eigen::LLT<MatrixXd>(covariance).solve(with);
  for (Index place = 0; place < with.cols(); ++place) {
    const double variance =
        std::max(kLeastVariance, near.of_places(place) - with.col(place).dot(weights.col(place)));
    const std::size_t row = (block.first + static_cast<std::size_t>(place)) * observed.methods;
    for (const std::size_t m : methods) {
      moments[row + m] = {0, variance};
      for (Index i = 0; i < n; ++i)
        moments[row + m].mean += weights(i, place) * observed.log_time(near.points[rows[i]], m);
    }
  }
}

void judge_by_neighbours(const Observed& observed, const GridKernel& kernel,
                         std::vector<std::size_t> points, const Block& block,
                         std::span<Moments> moments) {
  const NearCovariances near(observed, kernel, block, std::move(points));
  std::map<std::vector<Index>, std::vector<std::size_t>> groups;  // rows: methods
  for (std::size_t m = 0; m < observed.methods; ++m) {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < near.points.size(); ++i) {
      if (observed.has(near.points[i], m)) rows.push_back(static_cast<Index>(i));
    }
    groups[std::move(rows)].push_back(m);
  }
  for (const auto& [rows, methods] : groups)
    judge_group(observed, near, kernel.own_variance(), block, rows, methods, moments);
}

}  // namespace

std::vector<Moments> moments_by_neighbours(const Observed& observed) {
  std::vector<Moments> moments((observed.places.size() - observed.points) * observed.methods);
  const GridKernel kernel(observed.grid, kBeliefKernels[0], observed.middle);
  Kernel level = kBeliefKernels[0];
  level.ranks_trend = level.bytes_trend = level.both_trend = 0;
  const GridKernel without_trends(observed.grid, level, observed.middle);
  const std::vector<Block> blocks = blocks_of(std::span(observed.places).subspan(observed.points));
  in_parallel(blocks.size(), blocks.size(), [&](std::size_t i) {
    judge_by_neighbours(observed, kernel, nearest(observed, without_trends, blocks[i]), blocks[i],
                        moments);
  });
  return moments;
}

}  // namespace colltree::surrogate
