// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic that decides ties in C4.5 release 8: everything stored is float32, logarithms and
// anything beside a double literal is float64, rounded once on assignment. Compile without fused
// multiply-add (colltree_flags does). Source: reference/c45-release8.md, section 1. And what is
// made of it: the pessimistic estimate, and release 8's random numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace colltree::c45 {

inline constexpr double kEpsilon = 1e-3;
inline constexpr double kLn2 = 0.69314718055994530942;
// Gain and worth of what cannot be chosen.
inline constexpr float kNotAvailable = static_cast<float>(-kEpsilon);

inline double log2_of(float x) { return x <= 0 ? 0.0 : std::log(static_cast<double>(x)) / kLn2; }

// x * log2(x) in float64, as each term of an entropy sum is computed. Counts come from a table of
// the same values.
double x_log2_x(float x);

// The entropy sum of some weights, not divided by their total: T log2 T - sum of v log2 v.
inline float entropy_bits(std::span<const float> weights) {
  float sum = 0;
  float total = 0;
  for (const float weight : weights) {
    sum = static_cast<float>(static_cast<double>(sum) + x_log2_x(weight));
    total += weight;
  }
  return static_cast<float>(x_log2_x(total) - static_cast<double>(sum));
}

// The pessimistic error estimate of C4.5: the upper limit of a binomial error rate at confidence
// level CF (reference/c45-release8.md, section 5).
class Pessimistic {
 public:
  // `confidence` as a fraction: 0.25 for -c 25.
  explicit Pessimistic(float confidence);
  // Errors to add to the `errors` seen among `cases`.
  float extra(float cases, float errors) const;
  // Errors to expect of a leaf.
  float leaf(float cases, float errors) const { return errors + extra(cases, errors); }

 private:
  float no_error(float cases) const;

  double log_confidence_;
  float q_;  // the squared quantile
};

// The numbers of glibc's random() with its initial seed 1, which release 8 draws when it shuffles
// windows: our own additive feedback generator (degree 31), the same on every system.
class Random {
 public:
  Random();
  // 0 .. 2^31 - 1.
  std::uint32_t next();
  // 0 <= x < 1.
  double fraction() { return static_cast<double>(next()) / 2147483648.0; }

 private:
  static constexpr std::size_t kDegree = 31;
  static constexpr std::size_t kSeparation = 3;
  std::array<std::uint32_t, kDegree> state_{};
  std::size_t position_ = kSeparation;
};

}  // namespace colltree::c45
