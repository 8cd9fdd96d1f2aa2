// SPDX-License-Identifier: BSD-3-Clause
#include "timings/decision_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"

namespace colltree {

namespace {

using ::testing::ElementsAre;

struct Row {
  std::uint64_t communicator_size;
  std::uint64_t message_size;
  std::vector<double> times_us;
};

Timings timings_of(std::vector<Method> methods, const std::vector<Row>& rows) {
  Timings timings;
  timings.system = "test";
  timings.methods = std::move(methods);
  for (const Row& row : rows) {
    timings.instances.push_back({Collective::kBcast, row.communicator_size, row.message_size});
    for (const double us : row.times_us) timings.time_us.push_back(us);
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

const std::vector<Method> kTwo = {{"basic", std::nullopt}, {"clever", std::nullopt}};

TEST(DecisionMap, BestOfEachMeasuredPoint) {
  const DecisionMap map = make_decision_map(
      timings_of(kTwo, {{2, 1, {1, 2}}, {2, 8, {5, 4}}, {4, 1, {3, 2}}, {4, 8, {kNoTime, 9}}}));
  EXPECT_THAT(map.communicator_sizes(), ElementsAre(2, 4));
  EXPECT_THAT(map.message_sizes(), ElementsAre(1, 8));
  EXPECT_THAT(map.best, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(map.origin, ::testing::Each(CellOrigin::kMeasured));
}

TEST(DecisionMap, TiesGoToTheFirstMethod) {
  const auto best = [](std::vector<double> times, double tolerance) {
    return *best_method(times, tolerance);
  };
  EXPECT_EQ(best({2, 2, 3}, 1e-9), 0U);
  EXPECT_EQ(best({2.0000001, 2, 2}, 1e-9), 1U);
  EXPECT_EQ(best({2.05, 2.01, 2}, 0.03), 0U);
  EXPECT_EQ(best({kNoTime, 3, 3}, 0), 1U);
  EXPECT_FALSE(best_method(std::vector<double>{kNoTime}, 0));
}

TEST(DecisionMap, AHoleIsInterpolatedInLogSpace) {
  // Power laws of the message size, so the logarithm is a straight line: m and 8.
  const DecisionMap map = make_decision_map(timings_of(
      kTwo, {{2, 1, {1, 8}}, {2, 4, {4, 8}}, {2, 64, {64, 8}}, {4, 1, {1, 8}}, {4, 64, {64, 8}}}));
  const std::size_t hole = map.cell(1, 1);
  EXPECT_EQ(map.origin[hole], CellOrigin::kInterpolated);
  EXPECT_EQ(std::ranges::count(map.origin, CellOrigin::kInterpolated), 1);
  EXPECT_NEAR(map.time_us[hole * 2], 4, 1e-12);  // only the message axis brackets the hole
  EXPECT_NEAR(map.time_us[hole * 2 + 1], 8, 1e-12);
  EXPECT_EQ(map.best[hole], 0);
}

TEST(DecisionMap, TwoAxesAreAveraged) {
  const DecisionMap map = make_decision_map(timings_of({{"basic", std::nullopt}}, {{2, 2, {1}},
                                                                                   {2, 4, {2}},
                                                                                   {2, 8, {1}},
                                                                                   {4, 2, {4}},
                                                                                   {4, 8, {4}},
                                                                                   {8, 2, {1}},
                                                                                   {8, 4, {2}},
                                                                                   {8, 8, {1}}}));
  EXPECT_NEAR(map.time_us[map.cell(1, 1)], std::sqrt(2.0 * 4.0), 1e-12);
}

TEST(DecisionMap, NothingIsInterpolatedAcrossWhatCannotRun) {
  const DecisionMap map = make_decision_map(timings_of(kTwo, {{2, 1, {1, 8}},
                                                              {2, 4, {kNoTime, 8}},
                                                              {2, 64, {1, 8}},
                                                              {4, 1, {kNoTime, 8}},
                                                              {4, 64, {1, 8}}}));
  EXPECT_TRUE(std::isnan(map.time_us[map.cell(0, 1) * 2]));
  EXPECT_TRUE(std::isnan(map.time_us[map.cell(1, 1) * 2]));
  EXPECT_EQ(map.best[map.cell(0, 1)], 1);
  EXPECT_EQ(map.best[map.cell(1, 1)], 1);
}

TEST(DecisionMap, ACornerTakesTheNearestPoint) {
  const DecisionMap map =
      make_decision_map(timings_of(kTwo, {{2, 1, {1, 2}}, {2, 1024, {2, 1}}, {4, 1, {1, 2}}}));
  EXPECT_EQ(map.best[map.cell(1, 1)], 1);  // one octave from (2, 1024), ten from (4, 1)
  EXPECT_EQ(map.origin[map.cell(1, 1)], CellOrigin::kInterpolated);
}

TEST(DecisionMap, AskingForASegmentThatDoesNotCutIsTheUnsegmentedMethod) {
  const std::vector<Method> methods = {{"binomial", 0}, {"binomial", 1024}};
  const DecisionMap map = make_decision_map(timings_of(methods, {{2, 512, {3, kNoTime}},
                                                                 {2, 4096, {9, 5}},
                                                                 {4, 512, {3, kNoTime}},
                                                                 {4, 1024, {4, kNoTime}},
                                                                 {4, 4096, {9, 5}}}));
  EXPECT_EQ(map.time_us[1], 3);
  EXPECT_EQ(map.best[0], 0);
  const std::size_t hole = map.cell(0, 1);  // 1024 B: still one segment
  EXPECT_EQ(map.time_us[hole * 2], map.time_us[hole * 2 + 1]);
  EXPECT_EQ(map.best[hole], 0);
}

TEST(DecisionMap, ErrorsSayWhy) {
  const auto error = [](const Timings& timings) -> std::string {
    try {
      make_decision_map(timings);
    } catch (const Error& caught) {
      return caught.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(timings_of(kTwo, {})), "bcast: there are no measured points");
  EXPECT_EQ(error(timings_of(kTwo, {{2, 8, {kNoTime, kNoTime}}})),
            "bcast: no method was measured on 2 ranks with 8 B");
  Timings placed = timings_of(kTwo, {{4, 8, {1, 2}}, {4, 8, {1, 2}}});
  placed.instances[0].nodes = 1;
  placed.instances[0].ranks_per_node = 4;
  placed.instances[1].nodes = 2;
  placed.instances[1].ranks_per_node = 2;
  EXPECT_EQ(error(placed),
            "bcast on 4 ranks with 8 B was measured with several placements (nodes x ranks per "
            "node 1x4 and 2x2); a decision map needs one: --ranks-per-node chooses, 'colltree "
            "import --split-placements' makes each a system");
}

DecisionMap small_map() {
  DecisionMap map;
  map.methods = {{"linear", 0}, {"binomial", 0}, {"binomial", 1024}};
  map.axes = {make_axis(Attribute::kCommunicatorSize, {2, 28}),
              make_axis(Attribute::kMessageSize, {0, 512, 393216})};
  map.best = {0, 2, 2, 2, 0, 2};
  map.origin.assign(6, CellOrigin::kMeasured);
  map.origin[4] = map.origin[5] = CellOrigin::kInterpolated;
  for (int i = 0; i < 18; ++i) map.time_us.push_back(i + 0.5);
  return map;
}

TEST(MapOutput, Csv) {
  const std::string csv = map_csv(small_map());
  EXPECT_TRUE(csv.starts_with(
      "collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us\n"
      "bcast,2,0,Linear_0K,linear,0,measured,0.5\n"
      "bcast,2,512,Binomial_1K,binomial,1024,measured,5.5\n"))
      << csv;
  EXPECT_TRUE(csv.ends_with("bcast,28,393216,Binomial_1K,binomial,1024,interpolated,17.5\n"));
}

TEST(MapOutput, Json) {
  const Json json = map_json(small_map());
  EXPECT_EQ(json["collective"], "bcast");
  EXPECT_EQ(json["interpolated"], 2);
  EXPECT_EQ(json["methods"][0]["method"], "Binomial_1K");
  EXPECT_EQ(json["methods"][0]["cells"], 4);
  EXPECT_EQ(json["cells"].size(), 6U);
  EXPECT_EQ(json["cells"][4]["origin"], "interpolated");
}

}  // namespace

}  // namespace colltree
