// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace colltree::surrogate {
namespace {

// The integral itself, by the midpoint rule.
double excess_by_sum(double difference, double deviation) {
  constexpr int kSteps = 40000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = -10 + 20 * (i + 0.5) / kSteps;
    sum += std::max(0.0, difference + deviation * z) * std::exp(-z * z / 2);
  }
  return sum * 20 / kSteps / std::sqrt(2 * M_PI);
}

TEST(ExpectedExcess, IsItsIntegral) {
  for (const double difference : {-3.0, -1.0, -0.1, 0.0, 0.2, 2.0}) {
    for (const double deviation : {0.1, 1.0, 4.0})
      EXPECT_NEAR(expected_excess(difference, deviation), excess_by_sum(difference, deviation),
                  1e-6)
          << difference << " +- " << deviation;
  }
  EXPECT_EQ(expected_excess(2, 0), 2);
  EXPECT_EQ(expected_excess(-2, 0), 0);
  EXPECT_EQ(expected_excess(-7, 1), 0);
}

TEST(ErrorTail, IsAMixtureThatGrowsWider) {
  const ErrorTail tail;
  double weights = 0;
  double before = 0;
  for (const auto& width : tail.widths()) {
    weights += width.weight;
    EXPECT_GT(width.factor, before);
    before = width.factor;
  }
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_EQ(tail.widths().size(), 7U);
  EXPECT_EQ(tail.usual_widths().size(), 4U);
  EXPECT_EQ(tail.usual_widths()[3].factor, tail.widths()[3].factor);
  // Beyond three deviations a t of 4 degrees gains far more than a normal error.
  EXPECT_GT(tail.expected_excess(-3, 1), 10 * expected_excess(-3, 1));
  EXPECT_NEAR(tail.expected_excess(0.5, 0), 0.5, 1e-12);
}

// t of `freedom` degrees, times `scale`.
std::vector<double> surprises(double freedom, double scale, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> all;
  for (int i = 0; i < 2000; ++i) {
    double chi = 0;
    for (int d = 0; d < static_cast<int>(freedom); ++d) chi += std::pow(random.normal(), 2);
    all.push_back(scale * random.normal() / std::sqrt(chi / freedom));
  }
  return all;
}

double middle(const ErrorTail& tail) { return tail.widths()[1].factor; }

TEST(ErrorTail, FindsTheScaleAndTheWeightOfItsEnds) {
  for (const double scale : {0.5, 1.0, 2.0}) {
    const ErrorTail heavy = ErrorTail::fitted(surprises(3, scale, 1));
    const ErrorTail light = ErrorTail::fitted(surprises(40, scale, 2));
    EXPECT_NEAR(middle(heavy), scale, 0.25 * scale);
    EXPECT_NEAR(middle(light), scale, 0.15 * scale);
    EXPECT_GT(heavy.widths().back().factor / middle(heavy), 3);
    EXPECT_LT(light.widths().back().factor / middle(light), 2);
  }
  // Without surprises it is as predicted.
  EXPECT_NEAR(middle(ErrorTail::fitted({})), 1, 0.3);
}

TEST(ErrorTail, NineteenOfTwentyErrorsAreWithinItsReach) {
  SeededRandom random(3);
  std::vector<double> surprises(400);
  for (double& z : surprises) z = 2.5 * random.normal();
  EXPECT_NEAR(ErrorTail::fitted(surprises).deviations_of_95(), 2.5 * 1.96, 0.6);
  EXPECT_NEAR(ErrorTail().deviations_of_95(), 2.78, 0.15);  // of t with 4 degrees of freedom
}

}  // namespace
}  // namespace colltree::surrogate
