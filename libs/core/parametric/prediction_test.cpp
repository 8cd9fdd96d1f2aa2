// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "parametric/test_network.h"
#include "timings/test_times.h"

namespace colltree::parametric {
namespace {

const std::vector<std::uint64_t> kSizes = {1, 4, 16, 64, 256, 1024, 4096};

Timings measured(double factor) {
  Timings timings = timings_by(kTestNetwork, Collective::kBcast,
                               {{"linear", 0}, {"binomial", 0}, {"pipeline", 1024}},
                               {2, 3, 4, 6, 8, 12, 16}, kSizes);
  for (std::size_t at = 0; at < timings.time_us.size(); ++at)
    testing::scale(timings.time_us, at, factor);
  return timings;
}

TEST(Prediction, TakesWhatTheFormulaIsWrongBy) {
  const Predictor predictor(kTestNetwork, measured(1.5));
  const Prediction made = predictor.predict({"linear", 0}, {Collective::kBcast, 8, 64}).value();
  EXPECT_DOUBLE_EQ(made.formula_us, 164 + 6 * 71);
  EXPECT_NEAR(made.time_us, 1.5 * made.formula_us, 1e-9);
  EXPECT_NEAR(made.interval_us->low, 1.5 * made.formula_us, 1e-9);
  EXPECT_NEAR(made.interval_us->high, 1.5 * made.formula_us, 1e-9);
}

// The cell that is asked for must not help to predict itself.
TEST(Prediction, LeavesItsOwnCellOut) {
  Timings timings = measured(1);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (timings.instances[i] == Instance{Collective::kBcast, 8, 64})
      testing::scale(timings.time_us, 3 * i, 9);
  }
  const Predictor predictor(kTestNetwork, timings);
  const auto own = predictor.predict({"linear", 0}, {Collective::kBcast, 8, 64}).value();
  EXPECT_DOUBLE_EQ(own.time_us, own.formula_us);
  EXPECT_NEAR(own.interval_us->high, own.formula_us, 1e-9);
  const auto beside = predictor.predict({"linear", 0}, {Collective::kBcast, 8, 256}).value();
  EXPECT_NEAR(beside.interval_us->high, 9 * beside.formula_us, 1e-6);
  EXPECT_DOUBLE_EQ(beside.time_us, beside.formula_us) << "one of nine does not move the median";
}

// Six of the nine nearest cells have the same message size.
TEST(Prediction, FollowsTheNearestNine) {
  Timings timings = measured(1);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (timings.instances[i].message_size == 64) testing::scale(timings.time_us, 3 * i, 3);
  }
  const Predictor predictor(kTestNetwork, timings);
  const auto made = predictor.predict({"linear", 0}, {Collective::kBcast, 8, 64}).value();
  EXPECT_NEAR(made.time_us, 3 * made.formula_us, 1e-9);
  EXPECT_NEAR(made.interval_us->low, made.formula_us, 1e-9);
  EXPECT_NEAR(made.interval_us->high, 3 * made.formula_us, 1e-9);
}

TEST(Prediction, BeyondTheMeasuredSizes) {
  Timings timings = measured(1);
  for (std::size_t i = 0; i < timings.time_us.size(); i += 2) testing::scale(timings.time_us, i, 2);
  const Predictor predictor(kTestNetwork, timings);
  const auto width = [&](std::uint64_t ranks) {
    const auto made = predictor.predict({"linear", 0}, {Collective::kBcast, ranks, 64}).value();
    return std::log(made.interval_us->high / made.interval_us->low);
  };
  EXPECT_NEAR(width(16), std::log(2), 1e-9);
  EXPECT_NEAR(width(32), 2 * std::log(2), 1e-9);
  EXPECT_NEAR(width(64), 3 * std::log(2), 1e-9);
}

// A method with few cells takes its algorithm's; one that was never measured stands alone.
TEST(Prediction, OfMethodsWithFewCellsOrNone) {
  const Predictor predictor(kTestNetwork, measured(1.25));
  const auto kin = predictor.predict({"pipeline", 2048}, {Collective::kBcast, 8, 4096}).value();
  EXPECT_NEAR(kin.time_us, 1.25 * kin.formula_us, 1e-9);
  const auto alone = predictor.predict({"binary", 0}, {Collective::kBcast, 8, 64}).value();
  EXPECT_FALSE(alone.interval_us);
  EXPECT_EQ(alone.time_us, alone.formula_us);
  EXPECT_FALSE(predictor.predict(library_default(), {Collective::kBcast, 8, 64}));
}

}  // namespace
}  // namespace colltree::parametric
