// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/next_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/parallel.h"

namespace colltree {

namespace {

struct Candidate {
  GridCell cell;
  double cost = 1;
  double value = 0;  // expected gain, summed over points, per cost
  GridMatrix with;   // covariance with all points, given what was chosen before
};

double time_us(const Surrogate& surrogate, GridCell cell) { return std::exp(surrogate.mean(cell)); }

// By what measuring gains at the cell's own point alone.
std::vector<Candidate> by_own_gain(const Surrogate& surrogate, const CellCost& cost) {
  std::vector<Candidate> all;
  for (std::size_t point = 0; point < surrogate.grid().points(); ++point) {
    if (!surrogate.choice(point)) continue;
    for (std::size_t m = 0; m < surrogate.methods(); ++m) {
      const GridCell cell{m, point};
      if (!surrogate.is_known(cell) || surrogate.is_measured(cell)) continue;
      const double gain =
          surrogate.tail().expected_excess(surrogate.lead(cell), surrogate.deviation(cell));
      if (gain <= 0) continue;
      const double price = cost(cell, time_us(surrogate, cell));
      all.push_back({cell, price, gain / price, {}});
    }
  }
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value > b.value : a.cell < b.cell;
  });
  return all;
}

// The best by their own gain, and as many of the others, denser among the better: a cell between
// others may tell more of them than of itself.
std::vector<Candidate> shortlist(std::vector<Candidate> all, std::size_t count) {
  if (all.size() <= count) return all;
  const std::size_t half = count / 2;
  const std::size_t others = count - half;
  std::vector<Candidate> chosen;
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < half; ++i) chosen.push_back(all[i]);
  for (std::size_t i = 0; i < others; ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(others);
    const auto rest = static_cast<double>(all.size() - half);
    const auto at = half + static_cast<std::size_t>(along * along * rest);
    if (taken.insert(at).second) chosen.push_back(all[at]);
  }
  return chosen;
}

// Measuring the candidate moves the method's mean at every point that goes with it; what the better
// choice there gains.
double gain_everywhere(const Surrogate& surrogate, const Candidate& candidate, double variance) {
  constexpr double kLeastMove = 1e-4;
  constexpr double kReach = -3;  // deviations behind, beyond which the widths of the tail count
                                 // only at the candidate's own point
  const std::size_t m = candidate.cell.method;
  const double deviation = std::sqrt(variance);
  double sum = 0;
  for (std::size_t point = 0; point < surrogate.grid().points(); ++point) {
    const double move = std::abs(candidate.with.data()[point]) / deviation;
    if (move < kLeastMove || !surrogate.choice(point)) continue;
    const GridCell cell{m, point};
    if (!surrogate.is_known(cell) || surrogate.is_measured(cell)) continue;
    const double lead = surrogate.lead(cell);
    if (point == candidate.cell.point || lead > kReach * move)
      sum += surrogate.tail().expected_excess(lead, move);
  }
  return sum;
}

}  // namespace

std::vector<GridCell> next_cells(const Surrogate& surrogate, std::size_t count,
                                 const CellCost& cost) {
  constexpr std::size_t kLookedAt = 4;  // times as many as are wanted
  std::vector<Candidate> candidates = shortlist(by_own_gain(surrogate, cost), kLookedAt * count);
  std::map<std::size_t, GridMatrix> variance;  // by method, given what was chosen
  for (const Candidate& one : candidates) {
    GridMatrix& of_method = variance[one.cell.method];
    if (of_method.size() > 0) continue;
    of_method.resize(static_cast<Eigen::Index>(surrogate.grid().rows()),
                     static_cast<Eigen::Index>(surrogate.grid().columns()));
    for (std::size_t point = 0; point < surrogate.grid().points(); ++point)
      of_method.data()[point] = surrogate.process(one.cell.method).variance(point);
  }
  const auto value = [&](Candidate& one) {
    const double own = variance.at(one.cell.method).data()[one.cell.point];
    one.value = gain_everywhere(surrogate, one, own) / one.cost;
  };
  in_parallel(candidates.size(), candidates.size(), [&](std::size_t i) {
    Candidate& one = candidates[i];
    one.with = surrogate.process(one.cell.method).covariances(one.cell.point);
    value(one);
  });
  std::vector<GridCell> chosen;
  while (chosen.size() < count && !candidates.empty()) {
    const auto best = std::ranges::max_element(candidates, {}, &Candidate::value);
    const Candidate taken = std::move(*best);
    candidates.erase(best);
    chosen.push_back(taken.cell);
    GridMatrix& of_method = variance.at(taken.cell.method);
    const double own = of_method.data()[taken.cell.point];
    of_method = (of_method.array() - taken.with.array().square() / own).max(1e-12).matrix();
    for (Candidate& other : candidates) {
      if (other.cell.method != taken.cell.method) continue;
      const double shared = other.with.data()[taken.cell.point];
      if (std::abs(shared) < 1e-9) continue;
      other.with -= taken.with * (shared / own);
      value(other);
    }
  }
  return chosen;
}

namespace {

// The sizes nearest to both ends and the middle, by octaves.
std::vector<std::size_t> coarse(const std::vector<std::uint64_t>& sizes) {
  constexpr int kParts = 2;
  const auto octaves = [](std::uint64_t size) { return std::log2(static_cast<double>(size) + 1); };
  std::set<std::size_t> chosen;
  for (int i = 0; i <= kParts; ++i) {
    const double wanted =
        octaves(sizes.front()) + (octaves(sizes.back()) - octaves(sizes.front())) * i / kParts;
    const auto nearest = std::ranges::min_element(
        sizes, {}, [&](std::uint64_t size) { return std::abs(octaves(size) - wanted); });
    chosen.insert(static_cast<std::size_t>(nearest - sizes.begin()));
  }
  return {chosen.begin(), chosen.end()};
}

// Without the dearest; corners first, then the middle, so that the first few span the grid.
std::vector<std::size_t> from_the_corners(const PredictionGrid& grid,
                                          const std::vector<std::size_t>& rows,
                                          const std::vector<std::size_t>& columns) {
  const auto is_end = [](const std::vector<std::size_t>& chosen, std::size_t i) {
    return chosen[i] == chosen.front() || chosen[i] == chosen.back();
  };
  std::vector<std::size_t> corners;
  std::vector<std::size_t> middle;
  std::vector<std::size_t> edges;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool dearest = r + 1 == rows.size() && c + 1 == columns.size();
      if (dearest && rows.size() * columns.size() > 1) continue;
      const int ends = (is_end(rows, r) ? 1 : 0) + (is_end(columns, c) ? 1 : 0);
      (ends == 2   ? corners
       : ends == 0 ? middle
                   : edges)
          .push_back(rows[r] * grid.columns() + columns[c]);
    }
  }
  corners.insert(corners.end(), middle.begin(), middle.end());
  corners.insert(corners.end(), edges.begin(), edges.end());
  return corners;
}

}  // namespace

std::vector<GridCell> first_cells(const Surrogate& surrogate) {
  const PredictionGrid& grid = surrogate.grid();
  std::vector<GridCell> cells;
  const auto add = [&](GridCell cell) {
    if (surrogate.is_allowed(cell) && !surrogate.is_measured(cell)) cells.push_back(cell);
  };
  const std::vector<std::size_t> rows = coarse(grid.communicator_sizes);
  const std::vector<std::size_t> columns = coarse(grid.message_sizes);
  for (const std::size_t point : from_the_corners(grid, rows, columns)) {
    for (std::size_t m = 0; m < surrogate.methods(); ++m) add({m, point});
  }
  for (std::size_t row = 0; row < grid.rows(); ++row) {
    if (std::ranges::count(rows, row) > 0) continue;
    for (std::size_t m = 0; m < surrogate.methods(); ++m) {
      const GridCell cell{m, row * grid.columns() + columns.front()};
      if (!surrogate.is_allowed(cell)) continue;
      add(cell);
      break;
    }
  }
  return cells;
}

}  // namespace colltree
