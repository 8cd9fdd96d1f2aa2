// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/next_cells.h"

#include <algorithm>
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

// By what measuring gains at the cell's own point alone.
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
  std::vector<Gain> all;
  for (const std::vector<Gain>& some : by_method) all.insert(all.end(), some.begin(), some.end());
  for (Gain& one : all) {
    one.cost = cost(one.cell, time_us(surrogate, one.cell));
    one.value /= one.cost;
  }
  std::ranges::sort(all, [](const Gain& a, const Gain& b) {
    return a.value != b.value ? a.value > b.value : a.cell < b.cell;
  });
  return all;
}

// The best by their own gain, and as many of the others, denser among the better: a cell between
// others may tell more of them than of itself.
std::vector<Candidate> shortlist(const std::vector<Gain>& all, std::size_t count) {
  std::vector<Candidate> chosen;
  const auto add = [&](const Gain& one) { chosen.push_back({one, {}}); };
  if (all.size() <= count) {
    std::ranges::for_each(all, add);
    return chosen;
  }
  const std::size_t half = count / 2;
  const std::size_t others = count - half;
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < half; ++i) add(all[i]);
  for (std::size_t i = 0; i < others; ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(others);
    const auto rest = static_cast<double>(all.size() - half);
    const auto at = half + static_cast<std::size_t>(along * along * rest);
    if (taken.insert(at).second) add(all[at]);
  }
  return chosen;
}

// What the better choices gain if candidates are measured.
class GainEverywhere {
 public:
  explicit GainEverywhere(const Surrogate& surrogate)
      : surrogate_(surrogate), within_reach_(surrogate.methods()) {}

  // Once for each method whose candidates are asked for; before `of`.
  void prepare(std::size_t method) {
    for (std::size_t point = 0; point < surrogate_.grid().points(); ++point) {
      const GridCell cell{method, point};
      if (counts(cell) && surrogate_.lead(cell) > kGainReach * surrogate_.deviation(cell))
        within_reach_[method].push_back(point);
    }
  }

  // Measuring the candidate moves the method's mean at every point that goes with it; in log time,
  // summed.
  double of(const Candidate& candidate) const {
    const GridCell own = candidate.cell;
    const double deviation = std::sqrt(candidate.variance());
    const auto excess = [&](GridCell cell, double lead) {
      const double move = std::abs(candidate.with.data()[cell.point]) / deviation;
      const bool reaches = cell == own || lead > kGainReach * move;
      return move >= kLeastMove && reaches ? surrogate_.tail().expected_excess(lead, move) : 0;
    };
    double sum = counts(own) ? excess(own, surrogate_.lead(own)) : 0;
    for (const std::size_t point : within_reach_[own.method]) {
      const GridCell cell{own.method, point};
      if (cell != own) sum += excess(cell, surrogate_.lead(cell));
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
  for (const Candidate& one : candidates) {
    if (methods.insert(one.cell.method).second) gain.prepare(one.cell.method);
  }
  in_parallel(candidates.size(), candidates.size(), [&](std::size_t i) {
    Candidate& one = candidates[i];
    one.with = surrogate.process(one.cell.method).covariances(one.cell.point);
    one.value = gain.of(one) / one.cost;
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
    // The more is known, the less a cell still tells: one that is the best without the latest
    // knowledge is looked at anew, the others need not be (Minoux, Accelerated greedy algorithms,
    // 1978).
    for (; best->knows < before.size(); ++best->knows) {
      const Candidate& known = before[best->knows];
      best->with -= known.with * (best->with.data()[known.cell.point] / known.variance());
    }
    best->value = gain.of(*best) / best->cost;
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

// One row for each coarse communicator size. Its placement is the first, the middle or the last one
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

// All but the most expensive; corners first, then the middle, so that the first few span the grid.
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
      const bool most_expensive = r + 1 == rows.size() && c + 1 == columns.size();
      if (most_expensive && rows.size() * columns.size() > 1) continue;
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
