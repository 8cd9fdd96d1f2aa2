// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/least_deviations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace colltree {

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
    if (!x || std::ranges::any_of(*x, [](double one) { return one < 0; })) continue;
    const double sum = sum_of_deviations(rows, *x);
    if (sum < least * (1 - kLessBy)) {
      best = *x;
      least = sum;
    }
  }
  return best;
}

}  // namespace colltree
