// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "base/statistics.h"
#include "evaluate/sessions.h"

namespace colltree::evaluate {

namespace {

TEST(Gain, OfClearRoundsIsToldWithItsInterval) {
  const std::vector<Pair> rounds = {{20, 10}, {21, 10}, {20, 11}, {19, 10}, {20, 10}, {22, 10}};
  const Gain gain = gain_of({rounds}, 1);
  EXPECT_NEAR(gain.factor, 2, 0.1);
  EXPECT_GT(gain.interval.low, 1.7);
  EXPECT_LT(gain.interval.high, 2.3);
  EXPECT_LT(gain.interval.low, gain.factor);
  EXPECT_EQ(verdict(gain), "faster");
}

TEST(Gain, OfALossIsBelowOne) {
  const Gain gain = gain_of({{{10, 20}, {10, 21}, {10, 19}, {10, 20}, {10, 20}}}, 1);
  EXPECT_NEAR(gain.factor, 0.5, 0.02);
  EXPECT_EQ(verdict(gain), "slower");
}

TEST(Gain, OfNoiseIsNoDifference) {
  const Gain gain = gain_of({{{10, 12}, {12, 10}, {11, 10}, {10, 11}, {9, 9.5}, {9.5, 9}}}, 1);
  EXPECT_EQ(verdict(gain), "no significant difference");
}

TEST(Gain, OfFewRoundsIsNeverTold) {
  EXPECT_EQ(verdict(gain_of({{{20, 10}, {20, 10}, {20, 10}, {20, 10}}}, 1)),
            "no significant difference");
}

TEST(Gain, InTotalIsTheGeometricMeanOfTheInstances) {
  const std::vector<Pair> doubled(5, Pair{20, 10});
  const std::vector<Pair> halved(5, Pair{10, 20});
  const std::vector<Pair> same(5, Pair{10, 10});
  EXPECT_DOUBLE_EQ(gain_of({doubled, halved}, 1).factor, 1);
  EXPECT_NEAR(gain_of({doubled, doubled, same}, 1).factor, std::pow(2.0, 2.0 / 3), 1e-12);
}

// Four rounds in each of three sessions, whose gains are these.
std::vector<Pair> in_sessions(const std::vector<double>& gains) {
  std::vector<Pair> rounds;
  for (std::size_t session = 0; session < gains.size(); ++session) {
    for (const double noise : {0.999, 1.0, 1.001, 1.0})
      rounds.push_back({10 * gains[session] * noise, 10, session});
  }
  return rounds;
}

TEST(Gain, OfSessionsHoldsHowFarTheyDiffer) {
  const Gain alike = gain_of({in_sessions({1.2, 1.2, 1.21})}, 1);
  EXPECT_NEAR(alike.factor, 1.203, 0.001);
  EXPECT_GT(alike.interval.low, 1.18);
  EXPECT_EQ(verdict(alike), "faster");
  const std::vector<Pair> apart = in_sessions({1.5, 1.2, 1.0});
  EXPECT_EQ(verdict(gain_of({apart}, 1)), "no significant difference");
  std::vector<Pair> one_session = apart;
  for (Pair& pair : one_session) pair.session = 0;
  EXPECT_EQ(verdict(gain_of({one_session}, 1)), "faster") << "as if rounds were all that varies";
  EXPECT_GT(gain_interval(one_session, 0.95).low, 0.99);
  EXPECT_LT(gain_interval(apart, 0.95).low, 0.8);
}

// Student's t of three: 4.303.
TEST(Gain, OfSessionsIsStudents) {
  const double step = std::log(1.1);
  const Gain gain =
      gain_of({{{10 * std::exp(-step), 10, 0}, {10, 10, 1}, {10 * std::exp(step), 10, 2}}}, 1);
  EXPECT_NEAR(gain.factor, 1, 1e-12);
  EXPECT_NEAR(std::log(gain.interval.high), 4.303 * step / std::sqrt(3), 1e-9);
  EXPECT_NEAR(std::log(gain.interval.low), -4.303 * step / std::sqrt(3), 1e-9);
}

constexpr std::size_t kProbes = 24;
constexpr std::size_t kSamples = 30;  // of each arm in each round

// A machine whose samples scatter by `spread`, one in a hundred ten times as slow; what disturbs a
// whole round disturbs both arms.
class Machine {
 public:
  Machine(double spread, std::uint64_t seed) : spread_(spread), random_(seed) {}

  std::vector<Pair> rounds(double gain, std::size_t count) {
    std::vector<Pair> rounds;
    for (std::size_t i = 0; i < count; ++i) {
      const double round = std::exp(2 * spread_ * normal_(random_));
      rounds.push_back({median_of(10 * gain * round), median_of(10 * round)});
    }
    return rounds;
  }

 private:
  double median_of(double time_us) {
    std::vector<double> samples;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double outlier = random_() % 100 == 0 ? 10 : 1;
      samples.push_back(time_us * outlier * std::exp(spread_ * normal_(random_)));
    }
    return median(samples);
  }

  double spread_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

struct Session {
  Standing with_reference;
  Standing alone;
};

// A visit of the doctor where the deployed method has become slower by `regression` at one probe of
// twenty-four. The choices gain 1.02 to 3.
Session visit(double spread, double regression, std::uint64_t seed) {
  Machine machine(spread, seed);
  std::vector<Drift> drifts;
  std::vector<Drift> alone;
  for (std::size_t i = 0; i < kProbes; ++i) {
    const double gain = 1.02 * std::pow(3 / 1.02, static_cast<double>(i) / (kProbes - 1));
    const bool hit = seed % kProbes == i;
    const std::size_t rounds = rounds_for(kProbes);
    const auto then = machine.rounds(gain, rounds);
    const auto now = machine.rounds(hit ? gain / regression : gain, rounds);
    drifts.push_back(judge_drift(then, now, kProbes));
    alone.push_back(judge_drift({}, machine.rounds(hit ? 1 / regression : gain, rounds), kProbes));
  }
  return {judge_all(drifts), judge_all(alone)};
}

int visits() {
  const char* wanted = std::getenv("COLLTREE_VISITS");
  return wanted == nullptr ? 25 : std::stoi(wanted);
}

class DriftRates : public ::testing::TestWithParam<double> {};

TEST_P(DriftRates, FewFalseAlarmsAndNearlyEveryRegressionFound) {
  const int count = visits();
  int alarms[2] = {0, 0};
  int held[2] = {0, 0};
  int found[2] = {0, 0};
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const Session well = visit(GetParam(), 1, seed);
    const Session ill = visit(GetParam(), 1.3, seed + 1000000);
    alarms[0] += well.with_reference == Standing::kDrifted;
    alarms[1] += well.alone == Standing::kDrifted;
    held[0] += well.with_reference == Standing::kHolds;
    held[1] += well.alone == Standing::kHolds;
    found[0] += ill.with_reference == Standing::kDrifted;
    found[1] += ill.alone == Standing::kDrifted;
  }
  const char* names[2] = {"against the verification", "against the default"};
  for (int i = 0; i < 2; ++i) {
    printf("spread %2.0f %%, %s: of %d visits %d false alarms, %d hold; %d regressions found\n",
           100 * GetParam(), names[i], count, alarms[i], held[i], found[i]);
    EXPECT_LE(alarms[i], 0.05 * count);
    EXPECT_GE(held[i], 0.95 * count);
    EXPECT_GE(found[i], 0.95 * count);
  }
}

INSTANTIATE_TEST_SUITE_P(Spreads, DriftRates, ::testing::Values(0.02, 0.05, 0.1));

TEST(Drift, IsToldToEitherSideOfWhatWas) {
  const std::vector<Pair> twice(12, Pair{20, 10});
  const std::vector<Pair> same(12, Pair{10, 10});
  EXPECT_EQ(judge_drift(twice, twice, 24).standing, Standing::kHolds);
  EXPECT_EQ(judge_drift(twice, same, 24).standing, Standing::kDrifted);
  EXPECT_EQ(judge_drift(same, twice, 24).standing, Standing::kDrifted);
  EXPECT_EQ(judge_drift(twice, std::vector<Pair>(12, Pair{19.2, 10}), 24).standing,
            Standing::kHolds);
}

TEST(Drift, WithoutAThenIsToldOnlyWhereTheChoiceIsSlower) {
  EXPECT_EQ(judge_drift({}, std::vector<Pair>(12, Pair{30, 10}), 24).standing, Standing::kHolds);
  EXPECT_EQ(judge_drift({}, std::vector<Pair>(12, Pair{9.8, 10}), 24).standing, Standing::kHolds);
  EXPECT_EQ(judge_drift({}, std::vector<Pair>(12, Pair{9, 10}), 24).standing, Standing::kDrifted);
}

TEST(Drift, CannotBeToldFromTooFewRoundsOrWildOnes) {
  const std::vector<Pair> twice(12, Pair{20, 10});
  EXPECT_EQ(rounds_for(1), 12U);
  EXPECT_EQ(rounds_for(24), 12U);
  EXPECT_EQ(rounds_for(200), 14U);
  EXPECT_EQ(judge_drift(twice, std::vector<Pair>(10, Pair{20, 10}), 24).standing,
            Standing::kCannotTell);
  std::vector<Pair> wild = twice;
  wild.front().default_us = 12;
  wild.back().default_us = 40;
  EXPECT_EQ(judge_drift(twice, wild, 24).standing, Standing::kCannotTell);
}

TEST(Drift, OfAllIsTheWorst) {
  const auto all = [](std::vector<Standing> standings) {
    std::vector<Drift> drifts;
    for (const Standing standing : standings) drifts.push_back({standing});
    return judge_all(drifts);
  };
  EXPECT_EQ(all({Standing::kHolds, Standing::kHolds}), Standing::kHolds);
  EXPECT_EQ(all({Standing::kHolds, Standing::kCannotTell}), Standing::kCannotTell);
  EXPECT_EQ(all({Standing::kCannotTell, Standing::kDrifted}), Standing::kDrifted);
  EXPECT_EQ(all({}), Standing::kCannotTell);
}

}  // namespace

}  // namespace colltree::evaluate
