// SPDX-License-Identifier: BSD-3-Clause
// The objective "expected": trees that must be good at sizes that nobody measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/optimal/expected_grid.h"

namespace colltree::model {
namespace {

// Times on 4, 16 and 64 ranks: `time_us(method, ranks, bytes)`, methods a, b and the default.
template <typename TimeUs>
Timings table(TimeUs time_us) {
  Timings timings{.system = "s", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {{"a", 0}, {"b", 0}, library_default()};
  for (const std::uint64_t ranks : {4, 16, 64}) {
    for (std::uint64_t bytes = 16; bytes <= 1 << 20; bytes *= 4) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      for (int method = 0; method < 3; ++method)
        timings.time_us.push_back(time_us(method, ranks, bytes));
      timings.default_us.push_back(time_us(2, ranks, bytes));
    }
  }
  return timings;
}

Model fitted(const Timings& timings) {
  return fit_and_judge(parse_fitter("optimal:leaves=auto,objective=expected"), {timings});
}

TEST(Expected, WhereTheLibraryIsFasterItIsLeftAlone) {
  SeededRandom random(1);
  const Timings slower = table([&](int method, std::uint64_t, std::uint64_t bytes) {
    return (10 + static_cast<double>(bytes) / 100) * (method == 2 ? 1 : 1.1) *
           std::exp(0.02 * random.normal());
  });
  const Model model = fitted(slower);
  EXPECT_EQ(model.statistics.shape.leaves, 1U);
  EXPECT_EQ(model.decide({Collective::kBcast, 16, 1024}), library_default());
}

TEST(Expected, WhatIsReallyFasterIsFound) {
  SeededRandom random(1);
  const Timings faster = table([&](int method, std::uint64_t, std::uint64_t bytes) {
    return (10 + static_cast<double>(bytes) / 100) * (method == 1 ? 0.8 : 1) *
           std::exp(0.02 * random.normal());
  });
  const Model model = fitted(faster);
  for (const std::uint64_t bytes : {16, 5000, 1 << 20})
    EXPECT_EQ(model.decide({Collective::kBcast, 23, bytes}).algorithm, "b") << bytes;
}

TEST(Expected, TheSwitchLiesWhereTheTimesCross) {
  const Timings crossing = table([](int method, std::uint64_t, std::uint64_t bytes) {
    if (method == 0) return 10 + static_cast<double>(bytes) / 10;
    return method == 1 ? 100 + static_cast<double>(bytes) / 100
                       : 500 + static_cast<double>(bytes) / 5;
  });
  const Model model = fitted(crossing);
  EXPECT_EQ(model.decide({Collective::kBcast, 23, 400}).algorithm, "a");
  EXPECT_EQ(model.decide({Collective::kBcast, 23, 2500}).algorithm, "b");
}

TEST(Expected, WhereAMethodCouldNotRunItIsNotChosen) {
  const Timings holes = table([](int method, std::uint64_t ranks, std::uint64_t) {
    if (method == 1 && ranks == 64) return kNoTime;
    return method == 1 ? 10.0 : 20.0 + method;
  });
  const Model model = fitted(holes);
  EXPECT_EQ(model.decide({Collective::kBcast, 16, 1024}).algorithm, "b");
  EXPECT_NE(model.decide({Collective::kBcast, 64, 1024}).algorithm, "b");
}

TEST(Expected, TheCertificateIsOfTheDensity) {
  const Timings crossing = table([](int method, std::uint64_t, std::uint64_t bytes) {
    return method == 0 ? 10.0 + static_cast<double>(bytes) : 500.0 * (method + 1);
  });
  const Model model = fitted(crossing);
  ASSERT_TRUE(model.statistics.certificate);
  EXPECT_TRUE(model.statistics.certificate->optimal);
  EXPECT_EQ(model.statistics.certificate->objective, "expected");
  EXPECT_EQ(model.statistics.certificate->leaves, model.statistics.shape.leaves);
  EXPECT_EQ(fitter_of(model).name(), "optimal:leaves=auto,objective=expected");
}

TEST(Expected, RefusesWhatItDoesNotWeigh) {
  const Timings timings =
      table([](int method, std::uint64_t, std::uint64_t) { return 10.0 + method; });
  const auto refusal = [&](const char* fitter) {
    try {
      parse_fitter(fitter).fit({timings});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("optimal:leaves=7,objective=expected"),
            "objective expected: needs leaves=auto");
  EXPECT_EQ(refusal("optimal:leaves=auto,objective=expected,least_gain=5"),
            "objective expected: takes neither a mix of calls nor a least gain");
}

TEST(ExpectedGrid, HasSizesBetweenAndBeyondAndWeightsOfOne) {
  const Timings timings =
      table([](int method, std::uint64_t, std::uint64_t) { return 10.0 + method; });
  const optimal::ExpectedGrid expected = optimal::make_expected_grid({&timings, 1}, 0.2);
  EXPECT_THAT(expected.grid.communicator_sizes(),
              ::testing::ElementsAre(2, 3, 4, 6, 7, 11, 16, 23, 31, 45, 64, 81, 102, 127));
  EXPECT_EQ(expected.grid.message_sizes().size(), 17U);
  EXPECT_NEAR(expected.grid.total_weight(), 1, 1e-12);
  EXPECT_EQ(expected.grid.measured_cells(), timings.instances.size());
}

}  // namespace
}  // namespace colltree::model
