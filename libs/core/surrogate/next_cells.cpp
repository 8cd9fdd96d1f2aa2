// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/next_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/work.h"
#include "surrogate/constants.h"

namespace colltree::surrogate {

namespace {

struct Gain {
  GridCell cell;
  double cost = 1;
  double value = 0;  // expected gain per cost
};

struct Candidate : Gain {  // its value: summed over points
  GridMatrix with;         // covariance with all points, given what was chosen before
  std::size_t knows = 0;   // how many of its method's chosen cells `with` has seen

  double variance() const { return std::max(kLeastVariance, with.data()[cell.point]); }
};

double time_us(const Surrogate& surrogate, GridCell cell) { return std::exp(surrogate.mean(cell)); }

// The cells with the gain of measuring them at their own point alone, the best first.
std::vector<Gain> by_own_gain(const Surrogate& surrogate, const CellCost& cost) {
  const std::size_t points = surrogate.grid().points();
  std::vector<std::vector<Gain>> by_method(surrogate.methods());
  in_parallel(surrogate.methods(), surrogate.methods(), [&](std::size_t m) {
    for (std::size_t point = 0; point < points; ++point) {
      const GridCell cell{m, point};
      if (!surrogate.choice(point) || !surrogate.is_known(cell) || surrogate.is_measured(cell))
        continue;
      const double gain =
          surrogate.tail().expected_excess(surrogate.lead(cell), surrogate.deviation(cell));
      if (gain > 0) by_method[m].push_back({cell, 1, gain});
    }
  });
  std::vector<Gain> gains;
  for (const std::vector<Gain>& some : by_method)
    gains.insert(gains.end(), some.begin(), some.end());
  for (Gain& gain : gains) {
    gain.cost = cost(gain.cell, time_us(surrogate, gain.cell));
    gain.value /= gain.cost;
  }
  std::ranges::sort(gains, [](const Gain& a, const Gain& b) {
    return a.value != b.value ? a.value > b.value : a.cell < b.cell;
  });
  return gains;
}

// The best by their gain at their own point, and as many others, denser among the better: a cell
// between others may tell more about those than about itself.
std::vector<Candidate> shortlist(const std::vector<Gain>& gains, std::size_t count) {
  std::vector<Candidate> chosen;
  const auto add = [&](const Gain& gain) { chosen.push_back({gain, {}}); };
  if (gains.size() <= count) {
    std::ranges::for_each(gains, add);
    return chosen;
  }
  const std::size_t half = count / 2;
  const std::size_t others = count - half;
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < half; ++i) add(gains[i]);
  for (std::size_t i = 0; i < others; ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(others);
    const auto rest = static_cast<double>(gains.size() - half);
    const auto place = half + static_cast<std::size_t>(along * along * rest);
    if (taken.insert(place).second) add(gains[place]);
  }
  return chosen;
}

// The expected gain of measuring a candidate, summed over all points.
class GainEverywhere {
 public:
  explicit GainEverywhere(const Surrogate& surrogate)
      : surrogate_(surrogate), within_reach_(surrogate.methods()) {}

  // Call it once for each method with candidates, before gain_of.
  void prepare(std::size_t method) {
    for (std::size_t point = 0; point < surrogate_.grid().points(); ++point) {
      const GridCell cell{method, point};
      if (counts(cell) && surrogate_.lead(cell) > kGainReach * surrogate_.deviation(cell))
        within_reach_[method].push_back(point);
    }
  }

  // Measuring the candidate moves the mean of the method at every correlated point; in log time,
  // summed.
  double gain_of(const Candidate& candidate) const {
    const GridCell measured = candidate.cell;
    const double deviation = std::sqrt(candidate.variance());
    const auto excess = [&](GridCell cell, double lead) {
      const double move = std::abs(candidate.with.data()[cell.point]) / deviation;
      const bool reaches = cell == measured || lead > kGainReach * move;
      return move >= kLeastMove && reaches ? surrogate_.tail().expected_excess(lead, move) : 0;
    };
    double sum = counts(measured) ? excess(measured, surrogate_.lead(measured)) : 0;
    for (const std::size_t point : within_reach_[measured.method]) {
      const GridCell cell{measured.method, point};
      if (cell != measured) sum += excess(cell, surrogate_.lead(cell));
    }
    return sum;
  }

 private:
  bool counts(GridCell cell) const {
    return surrogate_.choice(cell.point) && surrogate_.is_known(cell) &&
           !surrogate_.is_measured(cell);
  }

  const Surrogate& surrogate_;
  std::vector<std::vector<std::size_t>> within_reach_;  // by method: points
};

}  // namespace

std::vector<GridCell> next_cells(const Surrogate& surrogate, std::size_t count,
                                 const CellCost& cost) {
  std::vector<Candidate> candidates =
      shortlist(by_own_gain(surrogate, cost),
                std::max(count, std::min(kCandidates * count, kMostCandidates)));
  GainEverywhere gain(surrogate);
  std::set<std::size_t> methods;
  for (const Candidate& candidate : candidates) {
    if (methods.insert(candidate.cell.method).second) gain.prepare(candidate.cell.method);
  }
  in_parallel(candidates.size(), candidates.size(), [&](std::size_t i) {
    Candidate& candidate = candidates[i];
    candidate.with = surrogate.process(candidate.cell.method).covariances(candidate.cell.point);
    candidate.value = gain.gain_of(candidate) / candidate.cost;
  });
  std::vector<GridCell> chosen;
  std::vector<std::vector<Candidate>> of_method(surrogate.methods());  // chosen, as they were then
  while (chosen.size() < count && !candidates.empty()) {
    const auto best = std::ranges::max_element(candidates, {}, &Candidate::value);
    std::vector<Candidate>& before = of_method[best->cell.method];
    if (best->knows == before.size()) {
      chosen.push_back(best->cell);
      before.push_back(std::move(*best));
      candidates.erase(best);
      continue;
    }
    // The more is known, the less a cell still tells: only a cell that is the best without the
    // latest knowledge is evaluated again, the others need not be (Minoux, Accelerated greedy
    // algorithms, 1978).
    for (; best->knows < before.size(); ++best->knows) {
      const Candidate& known = before[best->knows];
      best->with -= known.with * (best->with.data()[known.cell.point] / known.variance());
    }
    best->value = gain.gain_of(*best) / best->cost;
  }
  return chosen;
}

namespace {

// The sizes nearest to both ends and the middle, by octaves.
std::vector<std::size_t> coarse(const std::vector<std::uint64_t>& sizes) {
  const auto octaves = [](std::uint64_t size) { return std::log2(static_cast<double>(size) + 1); };
  std::set<std::size_t> chosen;
  for (int i = 0; i <= kCoarseParts; ++i) {
    const double wanted = octaves(sizes.front()) +
                          (octaves(sizes.back()) - octaves(sizes.front())) * i / kCoarseParts;
    const auto nearest = std::ranges::min_element(
        sizes, {}, [&](std::uint64_t size) { return std::abs(octaves(size) - wanted); });
    chosen.insert(static_cast<std::size_t>(nearest - sizes.begin()));
  }
  return {chosen.begin(), chosen.end()};
}

// One row for each coarse communicator size. It takes the first, the middle and the last placement
// in turn, so that few cells inform about many.
std::vector<std::size_t> coarse_rows(const PredictionGrid& grid) {
  std::vector<std::size_t> rows;
  std::size_t turn = 0;
  for (const std::size_t first : coarse(grid.communicator_sizes)) {
    const auto size = grid.communicator_sizes[first];
    const auto many = static_cast<std::size_t>(std::ranges::count(grid.communicator_sizes, size));
    rows.push_back(first + (many - 1) * (turn++ % 3) / 2);
  }
  return rows;
}

// All points but the most expensive; the corners and the middle come first, so that the first few
// span the grid.
std::vector<std::size_t> from_the_corners(const PredictionGrid& grid,
                                          const std::vector<std::size_t>& rows,
                                          const std::vector<std::size_t>& columns) {
  const auto is_end = [](const std::vector<std::size_t>& chosen, std::size_t i) -> std::size_t {
    return chosen[i] == chosen.front() || chosen[i] == chosen.back();
  };
  std::array<std::vector<std::size_t>, 3> by_ends;  // of rows and columns
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool most_expensive = r + 1 == rows.size() && c + 1 == columns.size();
      if (most_expensive && rows.size() * columns.size() > 1) continue;
      by_ends[is_end(rows, r) + is_end(columns, c)].push_back(rows[r] * grid.columns() +
                                                              columns[c]);
    }
  }
  auto& [middle, edges, corners] = by_ends;
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
  const std::vector<std::size_t> rows = coarse_rows(grid);
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

}  // namespace colltree::surrogate
