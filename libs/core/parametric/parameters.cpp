// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "coll/catalogue.h"
#include "parametric/point_to_point.h"

namespace colltree::parametric {

namespace {

constexpr int kTurns = 50;
constexpr double kLeastDeviation = 1e-7;  // of a row: a smaller one counts as this
constexpr double kLessBy = 1e-9;          // a sum that is less by this share is better
constexpr double kSingular = 1e-12;

using Unknowns = std::array<double, kMostUnknowns>;

double deviation(const Deviation& row, const Unknowns& x) {
  double left = row.value;
  for (std::size_t i = 0; i < kMostUnknowns; ++i) left -= row.factors[i] * x[i];
  return std::abs(left) * row.weight;
}

double sum_of_deviations(const std::vector<Deviation>& rows, const Unknowns& x) {
  double sum = 0;
  for (const Deviation& row : rows) sum += deviation(row, x);
  return sum;
}

// Normal equations of the unknowns in the set, by Gauss and Jordan with the pivot on the diagonal:
// the matrix is positive semidefinite. None: singular.
class Normal {
 public:
  explicit Normal(unsigned set) : set_(set) {}

  void add(const Deviation& row, double weight) {
    for (std::size_t i = 0; i < kMostUnknowns; ++i) {
      right_[i] += weight * row.factors[i] * row.value;
      for (std::size_t j = 0; j < kMostUnknowns; ++j)
        matrix_[i][j] += weight * row.factors[i] * row.factors[j];
    }
  }

  std::optional<Unknowns> solve() {
    Unknowns diagonal;
    for (std::size_t i = 0; i < kMostUnknowns; ++i) diagonal[i] = matrix_[i][i];
    for (std::size_t i = 0; i < kMostUnknowns; ++i) {
      if (!in(i)) continue;
      if (!(matrix_[i][i] > kSingular * diagonal[i])) return std::nullopt;
      eliminate(i);
    }
    Unknowns x{};
    for (std::size_t i = 0; i < kMostUnknowns; ++i) x[i] = in(i) ? right_[i] / matrix_[i][i] : 0;
    return x;
  }

 private:
  bool in(std::size_t i) const { return ((set_ >> i) & 1U) != 0; }
  void eliminate(std::size_t pivot) {
    for (std::size_t i = 0; i < kMostUnknowns; ++i) {
      if (i == pivot || !in(i)) continue;
      const double share = matrix_[i][pivot] / matrix_[pivot][pivot];
      for (std::size_t j = 0; j < kMostUnknowns; ++j) matrix_[i][j] -= share * matrix_[pivot][j];
      right_[i] -= share * right_[pivot];
    }
  }

  unsigned set_;
  std::array<Unknowns, kMostUnknowns> matrix_{};
  Unknowns right_{};
};

std::optional<Unknowns> fit_set(const std::vector<Deviation>& rows, unsigned set) {
  std::optional<Unknowns> x;
  for (int turn = 0; turn < kTurns; ++turn) {
    Normal normal(set);
    for (const Deviation& row : rows) {
      const double now = x ? std::max(deviation(row, *x), kLeastDeviation) : 1;
      normal.add(row, row.weight * row.weight / now);
    }
    x = normal.solve();
    if (!x) return std::nullopt;
  }
  return x;
}

// In order of size, then earlier unknowns first.
constexpr unsigned kSets[] = {0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111};

}  // namespace

Unknowns least_deviations(const std::vector<Deviation>& rows) {
  Unknowns best{};
  double least = sum_of_deviations(rows, best);
  for (const unsigned set : kSets) {
    const auto x = fit_set(rows, set);
    if (!x || std::ranges::any_of(*x, [](double value) { return value < 0; })) continue;
    const double sum = sum_of_deviations(rows, *x);
    if (sum < least * (1 - kLessBy)) {
      best = *x;
      least = sum;
    }
  }
  return best;
}

namespace {

using Table = PointToPoint::Table;

// A gap below this share of its message's time, often 0, says no more than that it is small.
constexpr double kGapInTheNoise = 0.05;

// An empty message costs what one of a byte does.
double further_bytes(double bytes) { return std::max(bytes - 1, 0.0); }

Deviation relative(const Unknowns& factors, double us) {
  return {factors, us, us > 0 ? 1 / us : 0};
}

// o: how long a blocking send of the smallest message keeps its rank, where that is known, but at
// most half of what L + 2 o and g leave for it. Else g.
double send_overhead(const PointToPoint& seen, double start_us, double gap_us) {
  const double measured = seen.send.empty() ? gap_us : seen.send.front().us;
  return std::min({measured, gap_us, start_us / 2});
}

// G is common to a message and to what the next one adds.
LogGP fit_loggp(const PointToPoint& seen) {
  std::vector<Deviation> rows;
  for (const auto& [bytes, us] : seen.message)
    rows.push_back(relative({1, 0, further_bytes(bytes)}, us));
  for (std::size_t i = 0; i < seen.gap.size(); ++i) {
    rows.push_back(relative({0, 1, further_bytes(seen.gap[i].bytes)}, seen.gap[i].us));
    rows.back().weight = 1 / std::max(seen.gap[i].us, seen.message[i].us * kGapInTheNoise);
  }
  const Unknowns found = least_deviations(rows);
  const double overhead = send_overhead(seen, found[0], found[1]);
  return {found[0] - 2 * overhead, overhead, found[1], found[2]};
}

// Linear between the points, of which there is one at least; below them as the first, above them on
// along the last two.
double interpolated(const Table& table, double bytes) {
  if (table.size() == 1 || bytes <= table.front().bytes) return table.front().us;
  const auto above = std::ranges::upper_bound(table.begin() + 1, table.end() - 1, bytes, {},
                                              &PointToPoint::Point::bytes);
  const PointToPoint::Point& high = *above;
  const PointToPoint::Point& low = *(above - 1);
  const double slope = (high.us - low.us) / (high.bytes - low.bytes);
  return bytes > high.bytes ? high.us + std::max(slope, 0.0) * (bytes - high.bytes)
                            : low.us + slope * (bytes - low.bytes);
}

std::optional<double> fit_gamma(const PointToPoint& seen) {
  if (seen.fold.empty()) return std::nullopt;
  std::vector<Deviation> rows;
  for (const auto& [bytes, us] : seen.fold) {
    const double message = interpolated(seen.message, bytes);
    rows.push_back({{bytes, 0, 0}, us, message > 0 ? 1 / message : 0});
  }
  return least_deviations(rows)[0];
}

std::string missing(const ParameterSource& source, std::string_view what) {
  const std::string where = source.provenance == "simulated"
                                ? "--platform " + source.system
                                : "--launcher 'mpirun -np {ranks}' --system " + source.system;
  return fmt::format(
      "{}: {} has {}: colltree measure {} --collective bcast,reduce --methods linear,binary "
      "--communicator-sizes 2..6 --message-sizes 1..1M:x4 -o {}",
      source.profile, source.system, what, where, source.profile);
}

}  // namespace

bool folds_messages(Collective collective) {
  const Network with{{.latency_us = 1}, 1};
  const Network without{{.latency_us = 1}, 0};
  return std::ranges::any_of(portable_algorithms(), [&](const AlgorithmInfo& info) {
    const Method method{std::string(info.algorithm), 0};
    const Instance instance{collective, 4, 1024};
    return info.collective == collective &&
           expected_us(with, method, instance) != expected_us(without, method, instance);
  });
}

NetworkParameters estimate_parameters(std::span<const Timings> timings,
                                      const ParameterSource& source) {
  const PointToPoint seen = observe_point_to_point(timings);
  if (seen.message.empty()) {
    throw Error(missing(
        source,
        "no times of bcast linear at two communicator sizes, which give the cost of a message"));
  }
  return {fit_loggp(seen), fit_gamma(seen)};
}

Network network_for(const NetworkParameters& parameters, Collective collective,
                    const ParameterSource& source) {
  if (!folds_messages(collective)) return {parameters.loggp, 0};
  if (!parameters.gamma_us_per_byte) {
    throw Error(missing(source,
                        "no times of reduce linear at two communicator sizes, which give the cost "
                        "of folding a byte"));
  }
  return {parameters.loggp, *parameters.gamma_us_per_byte};
}

}  // namespace colltree::parametric
